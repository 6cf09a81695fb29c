import { randomBytes } from 'node:crypto';
import { vi } from 'vitest';
import { linesOf } from '../../protocol/log-lines.ts';
import type { LogCursor, LogRun, LogStream } from '../../protocol/logs.ts';
import { process as processSchema } from '../../protocol/workload.ts';
import type { Driver, Exit, Instance, InstanceSpec, LogNews } from './driver.ts';
import type { ReadyImage } from './image.ts';

/** Where a driver is tested: a home of its own, and the sample application as an image it can run. */
export interface Ground {
  /** A new driver on the same home, which remembers nothing: as after the agent was killed. */
  driver(): Promise<Driver>;
  image(options?: { version?: string; environment?: Record<string, string> }): Promise<ReadyImage>;
  /** Ends and removes everything. */
  close(): Promise<void>;
}

export type Wish = Partial<Omit<InstanceSpec, 'process'>> & { process?: Record<string, unknown> };

/** The ground that the driver contract is tested on: instances of the sample application and their output. */
export class DriverBench {
  readonly ground: Ground;
  readonly image: ReadyImage;
  driver: Driver;

  constructor(ground: Ground, driver: Driver, image: ReadyImage) {
    this.ground = ground;
    this.driver = driver;
    this.image = image;
  }

  static async on(ground: Ground): Promise<DriverBench> {
    const bench = new DriverBench(ground, await ground.driver(), await ground.image());
    await bench.driver.prepare(bench.image, AbortSignal.timeout(60_000));
    return bench;
  }

  spec(wish: Wish = {}): InstanceSpec {
    const process = processSchema.parse({ name: 'web', kind: 'http', port: 8080, ...wish.process });
    const id = `${process.name}-${randomBytes(4).toString('hex')}`;
    const usual = { key: 'shop/production', release: 'r1', image: this.image, environment: {}, volumes: [] };
    return { id, ...usual, ...wish, process };
  }

  async started(wish: Wish = {}): Promise<string> {
    const made = this.spec(wish);
    await this.driver.create(made);
    await this.driver.start(made.id);
    return made.id;
  }

  async seen(id: string): Promise<Instance | undefined> {
    return (await this.driver.list()).find((instance) => instance.id === id);
  }

  async ended(id: string, run = 1): Promise<Exit> {
    return await until(`the end of run ${run} of ${id}`, async () => {
      const instance = await this.seen(id);
      return instance?.state === 'ended' && instance.exit?.run === run ? instance.exit : undefined;
    });
  }

  async ask(id: string, path: string, init?: RequestInit): Promise<Response> {
    const at = (await this.seen(id))?.address;
    if (at === undefined) throw new Error(`${id} has no address.`);
    return await fetch(`http://${at.host}:${at.port}${path}`, init);
  }

  /** Waits until it listens, and answers what its first page says. */
  async answering(id: string): Promise<{ version: string; instance: string; pid: number }> {
    return await until(`an answer of ${id}`, () =>
      this.ask(id, '/').then(
        async (answer) => (await answer.json()) as { version: string; instance: string; pid: number },
        () => undefined,
      ),
    );
  }

  /** The runs that the log tells of, as they are at its end. */
  async runs(id: string): Promise<LogRun[]> {
    const runs = new Map<number, LogRun>();
    const request = { start: { tail: 0 }, follow: false, signal: AbortSignal.timeout(20_000) };
    for await (const news of this.driver.logs(id, request))
      if ('runs' in news) for (const run of news.runs) runs.set(run.run, run);
    return [...runs.values()];
  }

  async said(id: string, tail = 1_000_000, to?: LogCursor): Promise<LogLine[]> {
    const lines: LogLine[] = [];
    const request = { start: { tail }, to, follow: false, signal: AbortSignal.timeout(20_000) };
    for await (const news of this.driver.logs(id, request)) lines.push(...linesIn(news));
    return lines;
  }
}

export interface LogLine {
  position: number;
  stream: LogStream;
  at: Date;
  text: string;
}

export function linesIn(news: LogNews): LogLine[] {
  if (!('bytes' in news)) return [];
  const { stream, at } = news;
  return linesOf({ ...news, at: at.getTime() }).map(({ position, bytes }) => ({
    position,
    stream,
    at,
    text: bytes.toString('utf8'),
  }));
}

/** A process that is no server and does what its arguments say. */
export function job(args: string[], more: Wish = {}): Wish {
  return { ...more, process: { name: 'job', kind: 'worker', port: undefined, args } };
}

export function texts(lines: readonly LogLine[]): string[] {
  return lines.map((line) => line.text);
}

export async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  let seen: T | undefined | false;
  const found = async () => {
    seen = await look();
    return seen !== undefined && seen !== false;
  };
  // The limit only ends what waits in vain, and is multiplied by how slow the machine is, as in all waits of tests.
  const timeout = 60_000 * Number(process.env.TEST_PATIENCE ?? 1);
  await vi.waitUntil(found, { timeout, interval: 20 }).catch((error: unknown) => {
    throw new Error(`Not in time: ${what}`, { cause: error });
  });
  if (seen === undefined || seen === false) throw new Error(`Not in time: ${what}`);
  return seen;
}
