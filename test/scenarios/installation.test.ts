import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Applications } from '../applications/applications.ts';
import { readmeExample } from '../applications/readme-example.ts';
import { realBrowser } from '../browsers/real-browser.ts';
import { Console } from '../console/console.ts';
import { fill } from '../console/content.ts';
import { type Content, show } from '../console/pages/console-page.ts';
import { pages } from '../console/pages/pages.ts';
import { deliveryStories } from '../console/stories/delivery.ts';
import { handStories } from '../console/stories/hands.ts';
import type { World } from '../console/stories/world.ts';
import { violations } from '../console/violations.ts';
import type { Visitor } from '../console/visitor.ts';
import { KilledDeployments, outlivesKills } from '../deployments/killed-deployments.ts';
import { everything, killMatrix } from '../deployments/matrix.ts';
import type { MomentName } from '../deployments/moments/moments.ts';
import { type Outside, outside } from '../git/shown-repositories.ts';
import { freePort } from '../ground/free-port.ts';
import { sampleCanBeMade } from '../images/sample-image.ts';
import { Installation } from '../installation/installation.ts';
import { partNames } from '../installation/running-parts.ts';
import { secretsInLogs } from '../installation/secrets-in-logs.ts';

/**
 * The one installation of `npm test`, from its first start to its end: killed with deployments at work, deployed to, looked at
 * in a browser, stopped. Its tests build on each other; `npm run test:all` has the whole matrix of each of them.
 */
const browser = await realBrowser();
const sample = sampleCanBeMade();
let others: Outside;
let installation: Installation;

beforeAll(async () => {
  others = await outside();
  const cluster = { LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) };
  installation = await Installation.start('installation', { ...cluster, ...others.settings });
  // The agent starts only when the control plane is ready.
  const applications = await Applications.on(installation);
  await installation.until(
    'the local cluster is ready',
    async () => (await applications.cluster())?.status === 'ready',
  );
  applications.close();
});
afterAll(async () => {
  await browser?.close();
  await installation?.remove();
  await others?.close();
});

describe('the first start', () => {
  test('each part, the address and how to stop it are shown, and no line sounds like trouble', () => {
    for (const part of ['PostgreSQL', 'Temporal', 'API', 'Worker']) {
      expect(installation.output).toMatch(new RegExp(`^✓ ${part}.* ready`, 'm'));
    }
    expect(installation.output).toContain(`Ballast is ready at ${installation.settings.PUBLIC_URL}`);
    expect(installation.output).toContain('Ctrl-C');
    expect(installation.output).not.toMatch(/error|fail|ended with code/i);
  });

  test('doctor finds nothing wrong', async () => {
    const { code, stdout } = await installation.run('doctor');
    expect(stdout).not.toContain('✗');
    expect(code).toBe(0);
  });

  test('a second one on the same home is refused in one sentence', async () => {
    const { code, stderr } = await installation.run('up');
    expect(stderr).toMatch(/^ballast: [^\n]*already running at http:[^\n]*stop it first[^\n]*[.]\n$/);
    expect(code).toBe(1);
  });
});

/** Before everything else that runs on the machine, of which each instance is looked at. */
describe.runIf(sample)('everything is killed while deployments are at work', () => {
  const names: MomentName[] = ['held, then approved', 'starting', 'draining', 'committed, not started'];
  const kills = killMatrix(0).filter(({ what }) => what === everything);
  let killed: KilledDeployments;
  beforeAll(async () => {
    killed = await KilledDeployments.on(installation, names);
  });
  afterAll(() => killed?.close());
  outlivesKills(() => killed, kills, names);
});

test("the README's own commands run its example, which answers at its address", async () => {
  await readmeExample(installation, Number(installation.env.INGRESS_PORT));
});

describe.skipIf(browser === undefined)('the console', () => {
  let world: World;
  let meant: RegExp[] = [];
  beforeAll(async () => {
    if (browser === undefined) return;
    const opened = await Console.on(browser, 'installation', installation);
    // The policy of the console keeps every foreign script out, that of the rules for screen readers too.
    const ada = await opened.firstOwner('Ada Lovelace', 'ada@example.com', {
      bypassCSP: true,
      reducedMotion: 'reduce',
    });
    world = { opened, ada, receiver: others.receiver, means: (...complaints) => meant.push(...complaints) };
  });
  afterEach(async ({ task }) => {
    const complaints = world.opened.complaints().filter((one) => !meant.some((pattern) => pattern.test(one)));
    meant = [];
    if (task.result?.state === 'fail') await world.opened.tell(complaints);
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    for (const { context } of world?.opened.visitors ?? []) await context.close();
  });

  describe('hands', () => handStories(() => world));
  describe.runIf(sample)('delivery', () => deliveryStories(() => world));

  /** An installation as it is after some months; `accessible.all.test.ts` has the other themes, widths and dialogs. */
  describe.runIf(sample)('every page is there and can be used', () => {
    let content: Content;
    let nobody: Visitor;
    beforeAll(async () => {
      content = await fill(world.opened, world.ada, others);
      nobody = await world.opened.visitor({ bypassCSP: true, reducedMotion: 'reduce' });
    });
    test.each(pages)('$name', async (one) => {
      const { page } = one.anonymous === true ? nobody : world.ada;
      await show(page, world.opened.url, one, content);
      expect(await violations(page)).toEqual([]);
    });
  });
});

describe('the end', () => {
  test('no secret is in any log', () => {
    expect(secretsInLogs(installation)).toEqual([]);
  });

  test('Ctrl-C ends everything, and nothing is left', async () => {
    const processes = installation.processes();
    expect(processes.length).toBeGreaterThan(partNames.length);
    // Fails by itself if a process is left.
    await installation.stop();
    expect(installation.processes()).toEqual([]);
  });
});
