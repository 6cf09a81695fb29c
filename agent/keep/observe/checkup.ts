import type { AnswerFault } from '../../../domain/deployments/answer-faults.ts';
import { type Listening, listeningSentence } from '../../../domain/deployments/listening.ts';
import type { Gate } from '../../../domain/gate.ts';
import type { Check, Process } from '../../../protocol/workload.ts';
import type { Driver } from '../../drivers/driver.ts';
import { type Probe, type Probed, probe } from './probe.ts';

export interface Findings {
  started: boolean;
  ready: boolean;
  /** Only another start can help: why. */
  sick?: string;
  message?: string;
  /** Where it listens instead, while nobody answers where it is asked. */
  listening?: Listening;
  /** The setting that does not fit, if its last answer shows one. */
  answer?: AnswerFault;
}

const soonest = 100;
/** Before the first look where it listens, since most programs only take a moment to start, and the longest pause between two. */
const looks = { first: 1_000, longest: 30_000 };
/** Seconds that the first answer of a program may take, ever more since the first request may be what starts it. */
const answers = { first: 2, longest: 30 };

/** Asks one run of one instance how it is, for as long as it runs: first whether it has started, then the rest. */
export class Checkup {
  readonly findings: Findings;
  readonly #driver: Driver;
  readonly #places: Gate;
  readonly #onChange: () => void;
  readonly #closing = new AbortController();
  #probed: Probed;
  /** The next look where it listens, and the pause after that; undefined while it answers. */
  #look: { at: number; pause: number } | undefined;

  /** `adopted`: it was well when an agent saw it last, which holds until its checks say otherwise. */
  constructor(driver: Driver, probed: Probed, adopted: boolean, places: Gate, onChange: () => void) {
    this.#driver = driver;
    this.#probed = probed;
    this.#places = places;
    this.#onChange = onChange;
    this.findings = { started: adopted, ready: adopted };
    this.#ask(adopted).catch(() => {});
  }

  /** Takes the current checks; the next probe uses them. */
  update(probed: Probed): void {
    this.#probed = probed;
  }

  close(): void {
    this.#closing.abort();
  }

  async #ask(adopted: boolean): Promise<void> {
    if (!adopted) {
      await this.#startUp();
      if (this.findings.sick !== undefined) return;
      this.findings.started = true;
      if (readinessOf(this.#probed.process) === undefined) this.findings.ready = true;
      this.#onChange();
    }
    await Promise.all([this.#watchReadiness(adopted), this.#watchLiveness()]);
  }

  async #startUp(): Promise<void> {
    let failures = 0;
    let counted = Date.now();
    for (let wait = soonest; ; wait *= 2) {
      const check = this.#probed.process.checks.startup;
      if (check === undefined) return;
      const wrong = await this.#probe(check);
      if (wrong === undefined) return;
      // Asked more often at first, so that a quick one need not wait; what counts is every so many seconds.
      if (Date.now() - counted >= check.everySeconds * 1000) {
        failures += 1;
        counted = Date.now();
      }
      this.#say(`Its startup check fails: ${wrong}`);
      if (failures >= check.failures) {
        this.findings.sick = `Its startup check failed ${failures} times: ${wrong}`;
        this.#onChange();
        return;
      }
      await this.#pause(Math.min(wait, check.everySeconds * 1000));
    }
  }

  async #watchReadiness(adopted: boolean): Promise<void> {
    let failures = 0;
    let [answered, patience] = [adopted, answers.first];
    if (adopted) await this.#spread(readinessOf(this.#probed.process));
    for (let wait = soonest; ; ) {
      const check = readinessOf(this.#probed.process);
      if (check === undefined) {
        this.#becomes(true);
        await this.#pause(5000);
        continue;
      }
      let wrong = await this.#probe(check);
      // The kernel accepts connections for a program whose workers all end at their start.
      if (wrong === undefined && !answered && isJudgedByAnswer(this.#probed.process)) {
        wrong = await this.#probe({ kind: 'answer', timeoutSeconds: patience });
        patience = Math.min(patience * 2, answers.longest);
        answered = wrong === undefined;
      }
      failures = wrong === undefined ? 0 : failures + 1;
      if (wrong === undefined) this.#becomes(true);
      else if (!this.findings.ready) this.#say(`It is not ready: ${wrong}`);
      else if (failures >= check.failures) this.#becomes(false, `It is not ready any more: ${wrong}`);
      wait = this.findings.ready ? check.everySeconds * 1000 : Math.min(wait * 2, check.everySeconds * 1000);
      await this.#pause(wait);
    }
  }

  async #watchLiveness(): Promise<void> {
    let failures = 0;
    await this.#spread(this.#probed.process.checks.liveness);
    for (;;) {
      const check = this.#probed.process.checks.liveness;
      if (check === undefined) {
        failures = 0;
        await this.#pause(5000);
        continue;
      }
      const wrong = await this.#probe(check);
      failures = wrong === undefined ? 0 : failures + 1;
      if (failures >= check.failures) {
        this.findings.sick = `Its liveness check failed ${failures} times: ${wrong}`;
        this.#onChange();
        return;
      }
      await this.#pause(check.everySeconds * 1000);
    }
  }

  #probe(check: Probe): Promise<string | undefined> {
    return this.#places(async () => {
      this.#closing.signal.throwIfAborted();
      const wrong = await probe(this.#driver, check, this.#probed, this.#closing.signal);
      if (wrong?.unanswered) await this.#lookWhereItListens();
      else if (check.kind !== 'command') this.#forgetWhereItListens();
      if (wrong?.answer !== undefined) this.findings.answer = wrong.answer;
      else if (check.kind === 'http') delete this.findings.answer;
      this.#closing.signal.throwIfAborted();
      const instead = this.findings.listening && listeningSentence(this.findings.listening);
      return wrong && (instead === undefined ? wrong.text : `${wrong.text} ${instead}`);
    });
  }

  /** Ever more seldom, since a look costs a walk through its processes. */
  async #lookWhereItListens(): Promise<void> {
    const now = performance.now();
    this.#look ??= { at: now + looks.first, pause: looks.first };
    if (now < this.#look.at) return;
    const pause = Math.min(this.#look.pause * 2, looks.longest);
    this.#look = { at: now + pause, pause };
    const found = await this.#driver.listening(this.#probed.id).catch(() => undefined);
    if (found === undefined || listeningSentence(found) === undefined) delete this.findings.listening;
    else this.findings.listening = found;
  }

  #forgetWhereItListens(): void {
    this.#look = undefined;
    delete this.findings.listening;
  }

  #becomes(ready: boolean, message?: string): void {
    if (this.findings.ready === ready) return;
    this.findings.ready = ready;
    if (message === undefined) delete this.findings.message;
    else this.findings.message = message;
    this.#onChange();
  }

  #say(message: string): void {
    if (this.findings.message === message) return;
    this.findings.message = message;
    this.#onChange();
  }

  /** Many instances are not all asked in the same moment. */
  async #spread(check: Check | undefined): Promise<void> {
    await this.#pause(Math.random() * (check?.everySeconds ?? 1) * 1000);
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal } = this.#closing;
      if (signal.aborted) return reject(signal.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      }, milliseconds);
      signal.addEventListener('abort', stop, { once: true });
    });
  }
}

/** By HTTP, unless its own check says what well is. */
function isJudgedByAnswer({ kind, checks }: Process): boolean {
  return kind === 'http' && checks.readiness === undefined;
}

/** A process that listens and has no readiness check is ready while it accepts connections, once it has given an answer. */
export function readinessOf(process: Process): Check | undefined {
  const { readiness } = process.checks;
  if (readiness !== undefined || process.port === undefined) return readiness;
  return { kind: 'tcp', everySeconds: 5, timeoutSeconds: 2, failures: 3 };
}
