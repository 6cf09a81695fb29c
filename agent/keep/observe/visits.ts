import { type AnswerFault, hostCheckOf, leadsToHttps } from '../../../domain/deployments/answer-faults.ts';
import type { Ingress } from '../../ingress/ingress.ts';
import { askHttp1, type ProbeAddress } from './probe.ts';

/** One request as a visitor would send it, at the end of a rollout. */
export interface Visit {
  /** Of the workload's rollout. */
  id: string;
  host: string;
  /** An instance that serves the host. */
  instance: ProbeAddress;
}

const patience = 3_000;

/** Asks the service of each rollout once through the front door, by its host name, and remembers what was odd about the answer. */
export class Visits {
  readonly #door: () => Ingress['door'];
  readonly #closing: AbortSignal;
  readonly #onChange: () => void;
  readonly #known = new Map<string, readonly AnswerFault[]>();
  readonly #asking = new Set<string>();

  constructor(door: () => Ingress['door'], closing: AbortSignal, onChange: () => void) {
    this.#door = door;
    this.#closing = closing;
    this.#onChange = onChange;
  }

  /** Nothing until the visit is over, whatever came of it. */
  of(id: string): readonly AnswerFault[] | undefined {
    return this.#known.get(id);
  }

  /** Asks those that were not asked yet, and forgets those that nobody wants any more. */
  pay(visits: readonly Visit[]): void {
    for (const id of this.#known.keys()) if (!visits.some((visit) => visit.id === id)) this.#known.delete(id);
    for (const visit of visits) {
      if (this.#known.has(visit.id) || this.#asking.has(visit.id)) continue;
      this.#asking.add(visit.id);
      this.#ask(visit)
        // A release that is live stays so: no answer here is for its checks to find.
        .catch(() => [])
        .then((faults) => {
          this.#known.set(visit.id, faults);
          this.#asking.delete(visit.id);
          this.#onChange();
        });
    }
  }

  async #ask({ host, instance }: Visit): Promise<AnswerFault[]> {
    const door = this.#door();
    if (door === undefined) return [];
    const signal = AbortSignal.any([this.#closing, AbortSignal.timeout(patience)]);
    const { status, location, body } = await askHttp1(door, '/', signal, { headers: { host } });
    const asked = { status, path: '/', host };
    const by = hostCheckOf(status, body);
    if (by !== undefined) return [{ kind: 'host', ...asked, by }];
    if (!leadsToHttps(status, location, host)) return [];
    // The front door says http of whoever comes without a proxy: as one behind a proxy with https, the instance is asked itself.
    const secure = { host, 'x-forwarded-host': host, 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' };
    const again = await askHttp1(instance, '/', signal, { headers: secure, read: [] });
    if (leadsToHttps(again.status, again.location, host)) return [{ kind: 'https-loop', ...asked }];
    return door.isBehindProxy ? [] : [{ kind: 'https', ...asked }];
  }
}
