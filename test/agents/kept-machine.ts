import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Driver } from '../../agent/drivers/driver.ts';
import { processDriver } from '../../agent/drivers/process/process-driver.ts';
import { ImageStore } from '../../agent/images/image-store.ts';
import { Ingress } from '../../agent/ingress/ingress.ts';
import { type Clock, Keeper, type KeeperOptions } from '../../agent/keep/keeper.ts';
import { type Slice, slice } from '../../protocol/desired.ts';
import { until } from '../ground/until.ts';
import { type SampleOptions, sampleLayout } from '../images/sample-image.ts';

const ingressProgram = [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  fileURLToPath(new URL('../../agent/ingress/main.ts', import.meta.url)),
];
const log = { info: () => {}, warn: () => {} };

export interface KeptMachine {
  home: string;
  /** A keeper with a driver and an ingress of its own, as a new agent has them. The one before has to be let go. */
  keeper(): Promise<Keeper>;
  slice(key: string, revision: number, release: string, process?: object, more?: object): Promise<Slice>;
  /** A slice whose release is put in place as a whole; the rollout has the release's name. */
  rolled(key: string, revision: number, release: string, process?: object, more?: object): Promise<Slice>;
  driver(): Driver;
  /** Of the ingress. */
  url(): string;
  close(): Promise<void>;
}

function ingressIn(home: string, port = 0): Ingress {
  return new Ingress({ home, port, listen: '127.0.0.1', program: ingressProgram, log });
}

/** An ingress for machines that come one after the other: each start of one costs a second. */
export function lastingIngress(): { home: string; close(): Promise<void> } {
  const home = mkdtempSync(join(tmpdir(), 'ballast-lasting-'));
  return {
    home,
    async close() {
      await ingressIn(home).stop();
      rmSync(home, { recursive: true, maxRetries: 5 });
    },
  };
}

/** A machine with a driver and an ingress, of which nothing is left when it is closed. */
export async function keptMachine(
  options: {
    driver?: (home: string) => Promise<Driver>;
    hostBound?: boolean;
    clock?: Clock;
    disk?: KeeperOptions['disk'];
    /** The driver by its name, where images have variants. */
    runBy?: string;
    /** Of the ingress, which need not get it. */
    port?: number;
    /** The home of an ingress that others have before and after this machine. */
    ingress?: string;
  } = {},
): Promise<KeptMachine> {
  const home = mkdtempSync(join(tmpdir(), 'ballast-kept-'));
  const make = options.driver ?? ((directory: string) => processDriver({ home: directory, log }));
  const images = new ImageStore(join(home, 'images'), {
    ...{ limitBytes: 1e9, maxImageBytes: 1e9 },
    ...(options.runBy === undefined ? {} : { runBy: options.runBy }),
  });
  const keepers: Keeper[] = [];
  const ingresses: Ingress[] = [];
  let driver: Driver | undefined;
  let layouts = 0;
  const made = async (key: string, revision: number, release: string, changes: object, more: object) => {
    layouts += 1;
    const sample: SampleOptions = { version: release, hostBound: options.hostBound ?? true };
    const image = await sampleLayout(join(home, 'layouts', String(layouts)), sample);
    const processes = [{ name: 'web', kind: 'http', port: 8080, stabilizationSeconds: 0, ...changes }];
    const routes = [{ host: `${key}.localhost`, process: 'web' }];
    return slice.parse({ key, revision, workload: { release, image, processes, routes, ...more } });
  };
  return {
    home,
    async keeper() {
      driver = await make(home);
      const ingress = ingressIn(options.ingress ?? home, options.port);
      ingresses.push(ingress);
      const ensured = ingress.ensure();
      await (options.port === undefined ? ensured : ensured.catch(() => undefined));
      const { clock, disk } = options;
      const more = { ...(clock === undefined ? {} : { clock }), ...(disk === undefined ? {} : { disk }) };
      const keeper = new Keeper({ home, driver, images, ingress, node: 'here', journal: 'kept', log, ...more });
      keepers.push(keeper);
      await keeper.start();
      return keeper;
    },
    slice: (key, revision, release, changes = {}, more = {}) => made(key, revision, release, changes, more),
    rolled: (key, revision, release, changes = {}, more = {}) =>
      made(key, revision, release, changes, { rollout: { id: release, digest: release }, ...more }),
    driver() {
      if (driver === undefined) throw new Error('No keeper was made yet.');
      return driver;
    },
    url: () => `http://127.0.0.1:${ingresses.at(-1)?.port}`,
    async close() {
      for (const keeper of keepers) await keeper.close();
      for (const { id } of (await driver?.list()) ?? []) await driver?.remove(id);
      const last = options.ingress === undefined ? ingresses.pop() : undefined;
      for (const ingress of ingresses) ingress.close();
      await last?.stop();
      rmSync(home, { recursive: true, maxRetries: 5 });
    },
  };
}

export function wanted(revision: number, ...slices: Slice[]) {
  return { revision, slices, broken: [], removed: [] };
}

export async function applied(keeper: Keeper, revision: number, seconds = 60): Promise<void> {
  await until(
    `Revision ${revision} is in effect`,
    async () => keeper.observed().appliedRevision === revision,
    seconds,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)} ${JSON.stringify(keeper.observed(), null, 1)}`);
  });
}

/** Sends one request through the ingress; rejects if no answer comes. */
export function through(url: string, host: string, path = '/', method = 'GET') {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const asked = get(`${url}${path}`, { headers: { host }, agent: false, method }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    asked.on('error', reject);
  });
}
