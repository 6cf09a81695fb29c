import type { Driver, EnvironmentName } from '../drivers/driver.ts';
import type { DesiredSlice, Seen } from './observe/seen.ts';

/** So long do clients hold on to what they have read of a file of names: Go's do for five seconds. */
const heldOnTo = 6_000;

/** Brings the names of environments to the driver, the newest always, and again after a failure. */
export class AppliedNames {
  readonly #driver: Driver;
  readonly #onChange: () => void;
  #wanted = '';
  #applied = '';
  #working = false;
  #since = Number.NEGATIVE_INFINITY;
  error: string | undefined;

  constructor(driver: Driver, onChange: () => void) {
    this.#driver = driver;
    this.#onChange = onChange;
  }

  get haveApplied(): boolean {
    return this.#driver.setNames === undefined || (this.#wanted !== '' && this.#wanted === this.#applied);
  }

  /** Those of before are used by nobody any more. */
  areForgotten(now: number): boolean {
    return this.#driver.setNames === undefined || (this.haveApplied && now - this.#since >= heldOnTo);
  }

  set(slices: readonly DesiredSlice[], names: readonly EnvironmentName[], seen: readonly Seen[], now: number): void {
    const environments = new Set(slices.flatMap(({ workload }) => workload?.network?.environment ?? []));
    // An instance that is started again has another address.
    const runs = new Map(seen.map(({ id, run }) => [id, run]));
    const reached = names.map((name) => [name, name.instances.map((id) => runs.get(id))]);
    const text = JSON.stringify([[...environments].sort(), reached]);
    this.#wanted = text;
    if (this.#working || text === this.#applied || this.#driver.setNames === undefined) return;
    this.#working = true;
    this.#driver
      .setNames(environments, names)
      .then(
        () => {
          this.#applied = text;
          this.#since = now;
          this.error = undefined;
        },
        (error: unknown) => {
          this.error = `The names of environments cannot be set: ${error instanceof Error ? error.message : String(error)}`;
        },
      )
      .finally(() => {
        this.#working = false;
        if (this.error === undefined) this.#onChange();
      });
  }
}
