import { setTimeout as pause } from 'node:timers/promises';
import type { Ingress } from '../ingress/ingress.ts';
import type { PortRoute, Route } from '../ingress/route.ts';

interface RouteSet {
  routes: readonly Route[];
  ports: readonly PortRoute[];
}

/** Brings routes to the ingress, the newest always, again until it says that it has them. */
export class AppliedRoutes {
  readonly #ingress: Ingress;
  readonly #closing: AbortSignal;
  readonly #onChange: () => void;
  #wanted: (RouteSet & { text: string }) | undefined;
  #applied = '';
  #working: Promise<void> | undefined;
  /** The reason why the ingress did not apply its routes. */
  error: string | undefined;

  constructor(ingress: Ingress, closing: AbortSignal, onChange: () => void) {
    this.#ingress = ingress;
    this.#closing = closing;
    this.#onChange = onChange;
  }

  get areApplied(): boolean {
    return this.#wanted === undefined || this.#wanted.text === this.#applied;
  }

  /** Something was set, and the ingress has it. */
  get haveApplied(): boolean {
    return this.#wanted !== undefined && this.areApplied;
  }

  set(wanted: RouteSet): void {
    const text = JSON.stringify(wanted);
    if (this.#wanted?.text === text) return;
    this.#wanted = { ...wanted, text };
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** When the ingress has what was set last. */
  async applied(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    for (let wait = 250; !this.areApplied && !this.#closing.aborted; wait = Math.min(wait * 2, 10_000)) {
      const wanted = this.#wanted;
      if (wanted === undefined) return;
      try {
        await this.#ingress.setRoutes(wanted.routes, wanted.ports);
        this.#applied = wanted.text;
        this.error = undefined;
        wait = 125;
        this.#onChange();
      } catch (error) {
        this.error = `The ingress does not take its routes: ${error instanceof Error ? error.message : String(error)}`;
        this.#onChange();
        await pause(wait, undefined, { signal: this.#closing }).catch(() => {});
      }
    }
  }
}
