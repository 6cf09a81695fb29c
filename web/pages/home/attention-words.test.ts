import { expect, test } from 'vitest';
import { type Attention, attentionWords } from './attention-words.ts';

const cluster = { id: 'c', name: 'Oslo' };
const item = (more: Partial<Attention>): Attention => ({
  key: 'k',
  kind: 'workload.failed',
  cluster,
  detail: '',
  ...more,
});

test('a failed workload leads to the log of its instance, out of contact as last known', () => {
  const failed = item({ name: 'billing', instance: 'web-1', detail: 'No image.' });
  expect(attentionWords(failed, 'acme')).toMatchObject({
    tone: 'fault',
    title: 'billing failed on Oslo',
    detail: 'No image.',
    go: 'Open log',
    link: { params: { organization: 'acme', cluster: 'c', instance: 'web-1' } },
  });
  const lost = { ...failed, asOf: { at: '2026-11-22T12:00:00.000Z', inContact: false } };
  expect(attentionWords(lost, 'acme')).toMatchObject({ tone: 'neutral', title: 'Last known: billing failed on Oslo' });
});

test('a lost cluster leads to its events, a stuck workflow to its history, a failed deployment to its page, one of a newer kind to its cluster', () => {
  expect(attentionWords(item({ kind: 'cluster.lost' }), 'acme')).toMatchObject({
    title: 'Oslo lost contact',
    go: 'Open events',
  });
  const { cluster: _, ...stuck } = item({
    kind: 'workflow.stuck',
    workflow: { id: 'w', kind: 'deletion', title: 'Deletion of Acme' },
    name: 'Acme',
  });
  expect(attentionWords(stuck, 'acme')).toMatchObject({ title: 'Deletion of Acme is stuck', go: 'Open history' });
  const { cluster: __, ...failed } = item({
    kind: 'deployment.failed',
    name: 'Web',
    deployment: { id: 'd', releaseNumber: 4, environmentName: 'Production', projectName: 'Shop' },
  });
  expect(attentionWords(failed, 'acme')).toMatchObject({
    title: 'Release 4 of Web failed in Production of Shop',
    go: 'Open deployment',
    link: { params: { organization: 'acme', deployment: 'd' } },
  });
  expect(attentionWords({ ...failed, kind: 'deployment.warned' }, 'acme')).toMatchObject({
    tone: 'attention',
    title: 'Web is live in Production of Shop, and visitors get something else',
    go: 'Open deployment',
  });
  const build = { id: 'b', number: 3, logLines: 120, environmentName: 'Staging', projectName: 'Shop' };
  const { cluster: ___, ...unbuilt } = item({ kind: 'build.failed', name: 'Web', build });
  expect(attentionWords(unbuilt, 'acme')).toMatchObject({
    title: 'Build #3 of Web for Staging of Shop failed',
    go: 'Open log',
    link: { params: { organization: 'acme', build: 'b' }, hash: 'L120' },
  });
  expect(attentionWords({ ...unbuilt, build: { ...build, logLines: 0 } }, 'acme').go).toBe('Open build');
  expect(attentionWords({ ...unbuilt, kind: 'build.not-deployed' }, 'acme')).toMatchObject({
    title: 'Build #3 of Web was not deployed to Staging of Shop',
    go: 'Open build',
  });
  const loosening = {
    ...{
      id: 'l',
      guard: 'production' as const,
      subject: { id: 'e', name: 'Production' },
      by: 'Ada',
      endedBy: '',
      undone: false,
    },
    ...{ title: 'Production of Shop is not marked as production any more', createdAt: '2026-11-22T12:00:00.000Z' },
    ...{ deployed: [], deployedCount: 0 },
  } as const;
  const { cluster: ____, ...loosened } = item({ kind: 'guard.loosened', name: 'Production' });
  const told = attentionWords({ ...loosened, loosening: { ...loosening, deployed: [] } }, 'acme');
  expect(told).toMatchObject({ title: loosening.title, detail: 'Loosened by Ada at 2026-11-22T12:00:00.000Z.' });
  expect(told).not.toHaveProperty('link');
  expect(attentionWords(item({ kind: 'volume.full' as never }), 'acme')).toMatchObject({ go: 'Open cluster' });
});
