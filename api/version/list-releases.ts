import { operation } from '../engine/operation.ts';
import { releasesFeedSchema } from './changelog.ts';

export const listReleases = operation({
  method: 'GET',
  url: '/api/v1/releases',
  summary: 'Get the changelog, newest release first',
  scope: 'public',
  problems: [],
  result: releasesFeedSchema,
  async handle({ server }) {
    return server.releases;
  },
});
