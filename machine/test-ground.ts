import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, onTestFinished, TestRunner } from 'vitest';

/** A folder of the running test, or of all tests of its file where none runs yet; it is gone after them. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'ballast-'));
  afterwards(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The port at which a server listens, until the running test is over, or all of the file. */
export async function portOf(server: Server, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, host), 'listening');
  afterwards(() => {
    server.close();
    if ('closeAllConnections' in server) (server as HttpServer).closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

function afterwards(step: () => void): void {
  if (TestRunner.getCurrentTest() === undefined) afterAll(step);
  else onTestFinished(step);
}

/** The closing steps of each test of a file, last begun first. */
export function undoing(): (() => Promise<unknown> | unknown)[] {
  const steps: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const step of steps.splice(0).reverse()) await step();
  });
  return steps;
}
