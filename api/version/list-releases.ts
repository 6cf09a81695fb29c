import { operation } from '../engine/operation.ts';
import { releasesFeedSchema } from './changelog.ts';

export const listReleases = operation({
  method: 'GET',
  url: '/api/v1/releases',
  summary: 'The releases and what changed in them, newest first',
  scope: 'public',
  problems: [],
  result: releasesFeedSchema,
  async handle({ server }) {
    return server.releases;
  },
});
