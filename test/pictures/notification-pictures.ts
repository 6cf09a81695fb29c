import { answerSentence } from '../../domain/deployments/answer-faults.ts';
import * as messages from '../../domain/notifications/messages.ts';
import type { NotificationKind } from '../../domain/notifications/notifications.ts';
import { chatText } from '../../outbound/channels/chat-text.ts';

interface Sample {
  kind: NotificationKind;
  title: string;
  body: string;
}

const place = { projectId: 'p', environmentId: 'e', environment: 'Production' };
const release = { ...place, deploymentId: 'd', serviceId: 's', service: 'api', releaseNumber: 42 };
const built = { ...place, buildId: 'b', serviceId: 's', service: 'api', number: 7 };
const service = { id: 's', name: 'api' };
const asked = { ...place, approvalId: 'a', requestedBy: 'Ada', reason: 'Fixes the checkout.' };

/** Each event with the message that it makes, by the name of its function. */
export const samples: readonly [event: keyof typeof messages, message: Sample][] = [
  ['approvalRequested', messages.approvalRequested({ ...asked, kind: 'promote', service })],
  [
    'glassBroken',
    messages.glassBroken({
      ...asked,
      kind: 'promote',
      service,
      brokenBy: 'Ada',
      requestedBy: 'Ada',
      reason: 'Checkout is down, and nobody else is awake.',
    }),
  ],
  [
    'guardLoosened',
    messages.guardLoosened({
      ...{ id: '0193a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', by: 'Ada', guard: 'production' },
      ...{ name: 'Production', project: 'shop', before: true, after: false },
    }),
  ],
  [
    'buildAwaitsApproval',
    messages.buildAwaitsApproval({
      ...built,
      requestedBy: 'Ada',
      commit: '0f1e2d3c4b5a of shop/api',
      variables: ['VITE_API_URL'],
    }),
  ],
  ['deploymentFailed', messages.deploymentFailed({ ...release, reason: 'web-1 exited with code 3.' })],
  ['deploymentLive', messages.deploymentLive({ ...release, reason: '' })],
  [
    'deploymentLive',
    messages.deploymentLive({
      ...{ ...release, reason: '' },
      warning: answerSentence({ kind: 'host', by: 'django', status: 400, path: '/', host: 'shop.example.com' }),
    }),
  ],
  ['buildFailed', messages.buildFailed({ ...built, reason: 'The step install ended with code 1.' })],
  [
    'buildNotDeployed',
    messages.buildNotDeployed({
      ...built,
      reason: 'The service is suspended here: resume it, then deploy the release.',
    }),
  ],
  [
    'backupFailed',
    messages.backupFailed({
      ...{ id: 'v', projectId: 'p', environmentId: 'e', serviceId: 's' },
      ...{ environmentName: 'Production', serviceName: 'api', volumeName: 'data' },
      reason: 'Writing to the store failed: SlowDown: Please reduce your request rate.',
    }),
  ],
  ['clusterLost', messages.clusterLost({ clusterId: 'c', name: 'oslo' })],
  [
    'agentUpdateAvailable',
    messages.agentUpdateAvailable({
      clusterId: 'c',
      name: 'oslo',
      from: 'ballast-agent:0.1.0-111111111111',
      to: 'ballast-agent:0.2.0-222222222222',
    }),
  ],
  ['channelTest', messages.channelTest({ organization: 'Acme', label: '#operations' })],
];

const width = 100;

/** The pictures of docs/notifications.md: every message as Slack shows it, in text. */
function notificationPictures(): string {
  return samples.map(([event, message]) => `\`${dashed(event)}\`, ${message.kind}\n\n${picture(message)}\n`).join('\n');
}

function picture(message: Sample): string {
  const [title = '', ...rest] = chatText({ ...message, link: 'https://ballast.example.com/acme' }).split('\n');
  const link = rest.pop() ?? '';
  const words = /\|(.*)>$/.exec(link)?.[1] ?? '';
  const lines = [title.slice(1, -1), ...rest, words].flatMap((line, index, all) => {
    const wrapped = wrap(unescaped(line));
    if (index === 0) return wrapped.map((one) => `<b>${escaped(one)}</b>`);
    return index === all.length - 1 ? wrapped.map((one) => `<u>${escaped(one)}</u>`) : wrapped.map(escaped);
  });
  return ['<pre>', '┌ <b>Ballast</b>  APP  12:00', ...lines.map((line) => `│ ${line}`), '└', '</pre>'].join('\n');
}

function wrap(line: string): string[] {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const unescaped = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const [begin, end] = ['<!-- pictures -->\n', '<!-- end of pictures -->'];

/** The page with the pictures of today. */
export function withPictures(page: string): string {
  const [before = '', after = ''] = [page.split(begin)[0], page.split(end)[1]];
  return `${before}${begin}\n${notificationPictures()}\n${end}${after}`;
}
