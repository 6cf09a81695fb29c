import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { realBrowser } from '../browsers/real-browser.ts';
import { freePort } from '../ground/free-port.ts';
import { receiver } from '../ground/receiver.ts';
import { Console } from './console.ts';
import { addressStories } from './stories/addresses.ts';
import { approvalStories } from './stories/approvals/approvals.ts';
import { firstProductionStories } from './stories/approvals/first-production.ts';
import { guardStories } from './stories/approvals/guards.ts';
import { channelStories } from './stories/channels.ts';
import { deliveryStories } from './stories/delivery.ts';
import { buildStories } from './stories/environments/builds.ts';
import { canvasStories } from './stories/environments/canvas.ts';
import { manyServicesStories } from './stories/environments/many-services.ts';
import { repositoryStories } from './stories/environments/repositories.ts';
import { variableStories } from './stories/environments/variables.ts';
import { frameStories } from './stories/frame.ts';
import { handStories } from './stories/hands.ts';
import { inBrowserStories } from './stories/in-browser.ts';
import { logStories } from './stories/logs.ts';
import { notificationStories } from './stories/notifications.ts';
import { outcomeStories } from './stories/outcomes.ts';
import { searchStories } from './stories/search.ts';
import { silenceStories } from './stories/silence.ts';
import { tableStories } from './stories/tables.ts';
import { truthStories } from './stories/truth.ts';
import { workflowStories } from './stories/workflows.ts';
import type { Stories, World } from './stories/world.ts';

/** Stories that share an installation: each leaves the API running and what it did not make as it was. */
const subjects: Record<string, Stories> = {
  silence: silenceStories,
  addresses: addressStories,
  delivery: deliveryStories,
  'first production': firstProductionStories,
  approvals: approvalStories,
  guards: guardStories,
  outcomes: outcomeStories,
  logs: logStories,
  hands: handStories,
  frame: frameStories,
  search: searchStories,
  tables: tableStories,
  truth: truthStories,
  notifications: notificationStories,
  channels: channelStories,
  'in the browser': inBrowserStories,
  workflows: workflowStories,
  // With a cluster that nobody runs, of which others would be told.
  canvas: canvasStories,
  'many services': manyServicesStories,
  variables: variableStories,
  builds: buildStories,
  repositories: repositoryStories,
};

const browser = await realBrowser();
let world: World | undefined;
let meant: RegExp[] = [];

function entered(): World {
  if (world === undefined) throw new Error('The stories have not begun.');
  return world;
}

beforeAll(async () => {
  if (browser === undefined) return;
  const cluster = { LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(await freePort()) };
  const others = await receiver();
  const opened = await Console.start(browser, 'console-subjects', { ...cluster, ...others.settings });
  const ada = await opened.firstOwner('Ada Lovelace', 'ada@example.com');
  world = { opened, ada, receiver: others, means: (...complaints) => meant.push(...complaints) };
});
afterEach(async ({ task }) => {
  const { opened } = entered();
  const complaints = opened.complaints().filter((one) => !meant.some((pattern) => pattern.test(one)));
  meant = [];
  if (task.result?.state === 'fail') await opened.tell(complaints);
  expect(complaints).toEqual([]);
});
afterAll(async () => {
  await world?.opened.close();
  await world?.receiver.close();
  await browser?.close();
});

describe.skipIf(browser === undefined)('the console', () => {
  for (const [name, stories] of Object.entries(subjects)) describe(name, () => stories(entered));
});
