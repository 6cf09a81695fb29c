import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DeploymentStatus } from './deployment-status.tsx';

const text = (deployment: Parameters<typeof DeploymentStatus>[0]['deployment']) =>
  renderToStaticMarkup(createElement(DeploymentStatus, { deployment })).replaceAll(/<[^>]*>/g, '');

test.each([
  ['Live', { state: 'live', serving: true }],
  ['Went live', { state: 'live', serving: false }],
  ['Live', { state: 'live' }],
  ['Failed', { state: 'failed', serving: false }],
  ['Starting', { state: 'starting', serving: false }],
] as const)('%s is said of %j', (said, deployment) => {
  expect(text({ blocker: '', ...deployment })).toBe(said);
});
