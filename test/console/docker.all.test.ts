import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readStatus } from '../../agent/home/status.ts';
import { type DockerEngine, dockerCanRun, dockerEngine } from '../agents/docker-engine.ts';
import { realBrowser } from '../browsers/real-browser.ts';
import { freePort } from '../ground/free-port.ts';
import { apartFromAll } from '../run/apart.ts';
import { Console } from './console.ts';
import { fromProjectToAddress } from './first-address.ts';

/** The browser is one of a machine whose network changes with each container, as that of somebody who tries Ballast. */
describe.runIf(dockerCanRun())('the console of an installation that runs containers', () => {
  let end: (() => void) | undefined;
  let engine: DockerEngine | undefined;
  let browser: Browser | undefined;
  let opened: Console | undefined;

  beforeAll(async () => {
    end = await apartFromAll();
    engine = await dockerEngine();
    browser = await realBrowser();
  }, 3_000_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await opened?.tell(opened.complaints());
  });
  afterAll(async () => {
    await opened?.close();
    await browser?.close();
    await engine?.stop();
    end?.();
  });

  test('a new project is made and followed to its address on one page, in containers', async ({ skip }) => {
    if (browser === undefined || engine === undefined) return skip();
    opened = await Console.start(browser, 'console-docker', {
      ...{ LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'docker', LOCAL_DOCKER_SOCKET: engine.socket },
      INGRESS_PORT: String(await freePort()),
    });
    const agent = join(opened.installation.home, 'agent');
    await opened.installation.until('its agent is in contact', async () => readStatus(agent)?.connected);
    expect(readStatus(agent)?.driver).toBe('docker');
    const ada = await opened.firstOwner('Ada Lovelace', 'ada@example.com');
    await fromProjectToAddress({ opened, ada }, { hostBound: false });
    expect(opened.complaints()).toEqual([]);
  });
});
