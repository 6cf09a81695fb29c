import { setTimeout as pause } from 'node:timers/promises';
import { type Answered, type Credential, call } from '../installation/running-api.ts';
import type { At, Promised, RequestFact, Statement } from './facts.ts';
import type { Journal } from './journal.ts';

/** Parts of a run that all its clients have in common. */
export interface Surroundings {
  url: string;
  /** Begins each key, so that runs never share one. */
  run: string;
  journal: Journal;
  requests: RequestFact[];
  statements: Statement[];
  /** Nothing new is begun any more. */
  ending: AbortSignal;
  /** Nobody waits for an answer any more. */
  givenUp: AbortSignal;
}

export interface Asking {
  body?: object;
  /** Parts of the promise that are known before the answer. */
  promises?: Promised[];
  /** Parts that the answer makes. */
  promised?: (body: Answer) => Promised[];
}

/** The fields of answers that clients read. */
export type Answer = Record<string, unknown> & {
  id?: string;
  state?: string;
  deployment?: { id: string; approvalId?: string };
  deployments?: { id: string; serviceId: string }[];
  changeSet?: { id: string };
  builds?: { id: string }[];
};

const answerSeconds = 20;

/** Somebody who asks again with the same key until there is an answer, and remembers each. */
export class Client {
  readonly name: string;
  readonly chance: () => number;
  readonly as: Credential;
  readonly #around: Surroundings;
  readonly #told = new Set<string>();
  #count = 0;

  constructor(name: string, as: Credential, chance: () => number, around: Surroundings) {
    this.name = name;
    this.as = as;
    this.chance = chance;
    this.#around = around;
  }

  /** Undefined where it was refused, or nobody answered until the end. */
  async ask(kind: string, method: string, path: string, { body, promises = [], promised }: Asking = {}) {
    const { run, requests, journal } = this.#around;
    this.#count += 1;
    const key = `${run}-${this.name}-${this.#count}`;
    // An answer that is lost on its way, now and then: the same request comes again although it was carried out.
    const lost = this.chance() < 0.3 ? 1 : 0;
    const fact: RequestFact = {
      ...{ key, client: this.name, kind, at: new Date().toISOString(), attempts: 0, answers: [] },
      promises: [...promises],
    };
    requests.push(fact);
    journal.note(this.name, { asks: key, kind, method, path, body });
    for (let answered = 0; ; ) {
      fact.attempts += 1;
      const id = `${key}.${fact.attempts}`;
      const headers = { 'idempotency-key': key, 'x-request-id': id };
      const answer = await this.#send(method, path, { headers, ...(body && { body }) });
      journal.note(this.name, { request: id, status: answer?.status, body: answer?.text.slice(0, 2_000) });
      if (answer !== undefined && isAnswer(answer)) {
        const given = answer.body as Answer;
        if (answer.status < 300) fact.answers.push({ attempt: fact.attempts, subject: subjectOf(given) });
        answered += 1;
        if (answered <= lost && answer.status < 300) continue;
        fact.status ??= answer.status;
        if (answer.status >= 300) {
          fact.problem = String(answer.body.detail ?? answer.text).slice(0, 300);
          return undefined;
        }
        fact.promises.push(...(promised?.(given) ?? []));
        return given;
      }
      if (this.#around.givenUp.aborted) return undefined;
      await pause(Math.min(500 * fact.attempts, 5_000));
    }
  }

  /** Undefined while nobody answers. Sentences for people are kept. */
  async read<T = Answer>(path: string): Promise<T | undefined> {
    const answer = await this.#send('GET', path);
    if (answer?.status !== 200) return undefined;
    this.hears(`GET ${path}`, answer.body);
    return answer.body as T;
  }

  /** Keeps each sentence of an answer, the first time that it is said. */
  hears(by: string, said: unknown): void {
    if (typeof said === 'string') {
      if (!said.includes(' ') || this.#told.has(said)) return;
      this.#told.add(said);
      this.#around.statements.push({ at: new Date().toISOString(), by, text: said });
    } else if (typeof said === 'object' && said !== null) for (const one of Object.values(said)) this.hears(by, one);
  }

  /** Its work: steps with a rest of 2 to 9 s between them, as long as the run lasts. */
  async work(step: (pick: number) => Promise<void>): Promise<void> {
    const { ending, journal } = this.#around;
    while (!ending.aborted) {
      const [rest, pick] = [2_000 + this.chance() * 7_000, this.chance()];
      await pause(rest, undefined, { signal: ending }).catch(() => undefined);
      if (ending.aborted) return;
      await step(pick).catch((error: unknown) => journal.note(this.name, { failed: String(error) }));
    }
  }

  async #send(method: string, path: string, more: { headers?: Record<string, string>; body?: object } = {}) {
    const asking = call(`${this.#around.url}/api/v1${path}`, method, { as: this.as, ...more });
    const late = pause(answerSeconds * 1_000, undefined, { ref: false });
    return await Promise.race([asking, late]).catch(() => undefined);
  }
}

/** Anything else is asked again: a part is down, or a twin of the request is at work. */
function isAnswer({ status, headers }: Answered): boolean {
  return status < 500 && status !== 429 && !(status === 409 && headers.has('retry-after'));
}

function subjectOf(body: Answer): string {
  const { id, deployment, changeSet } = body;
  return String(id ?? deployment?.id ?? changeSet?.id ?? '');
}

export function rowOf(kind: string, id: string | undefined): Promised[] {
  return id === undefined ? [] : [{ of: 'row', kind, id }];
}

/** The rows that an applied change set promises. */
export function ofChangeSet({ changeSet, deployments = [], builds = [] }: Answer): Promised[] {
  return [
    ...rowOf('change-set', changeSet?.id),
    ...deployments.flatMap(({ id }) => rowOf('deployment', id)),
    ...builds.flatMap(({ id }) => rowOf('build', id)),
  ];
}

export function value(at: At, key: string, to: string): Promised {
  return { of: 'value', environmentId: at.environmentId, serviceId: at.serviceId, key, value: to };
}
