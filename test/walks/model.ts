import { expect } from 'vitest';
import type { SeededPlace } from '../seeds/seed-place.ts';
import { type Change, type Content, canonicalText, nothing } from './wanted.ts';

export interface Held {
  id: string;
  changeSetId: string;
  changes: Map<string, Change>;
  /** The services that it deploys, with what each of them would be. */
  wanted: Map<number, Content>;
  resolved: string;
  basis: string;
}

/** Where each change is to be, and what is to be frozen, to serve and to wait. */
export class Model {
  readonly #services: readonly SeededPlace[];
  staged = new Map<string, Change>();
  held: Held[] = [];
  /** Rollbacks and redeployments that wait for an approval. */
  asked: { id: string; service: number; rollback: Content | undefined; basis: string }[] = [];
  readonly applied: Content[] = [nothing, nothing];
  /** The content of the release that was made of the applied settings. */
  readonly made: (string | undefined)[] = [];
  /** By deployment: what was frozen for it. */
  readonly frozen = new Map<string, Content>();
  readonly live: { content: Content; deploymentId: string; releaseId: string }[] = [];

  constructor(services: readonly SeededPlace[]) {
    this.#services = services;
  }

  basisOf(services: Iterable<number>): string {
    const of = [...services].toSorted().map((service) => {
      const { content, digest } = {
        content: this.applied[service] ?? nothing,
        digest: this.live[service]?.releaseId,
      };
      return [service, canonicalText(content), this.made[service] ?? null, digest ?? null];
    });
    return JSON.stringify(of);
  }

  freeze(deployments: readonly { id: string; serviceId: string }[], wanted: ReadonlyMap<number, Content>): void {
    for (const [service, content] of wanted) {
      const own = deployments.filter(({ serviceId }) => serviceId === this.#services[service]?.serviceId);
      // Without an image nothing runs.
      expect(own).toHaveLength(content.tag === '' ? 0 : 1);
      for (const { id } of own) this.frozen.set(id, content);
    }
  }

  forget(id: string): void {
    this.held = this.held.filter((one) => one.id !== id);
    this.asked = this.asked.filter((one) => one.id !== id);
  }

  makeApplied(wanted: ReadonlyMap<number, Content>): void {
    for (const [service, content] of wanted) {
      this.applied[service] = content;
      this.made[service] = content.tag === '' ? undefined : canonicalText(content);
    }
  }

  restore(service: number, content: Content): void {
    this.made[service] = canonicalText(content);
    this.applied[service] = { ...content, replicas: (this.applied[service] ?? nothing).replicas };
  }
}
