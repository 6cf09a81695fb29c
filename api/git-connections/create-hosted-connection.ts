import { z } from 'zod';
import { hostOfToken } from '../../domain/git/connections.ts';
import { hostedGit } from '../../outbound/git/probe.ts';
import { invalidFields } from '../engine/input/input.ts';
import { nameText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { newProjects, wantedProjects } from '../source-credentials/projects-field.ts';
import { gitConnectionSchema } from './git-connection.ts';
import { tokenText, verified, writeConnection } from './new-connection.ts';

const hosts = [...hostedGit.keys()];

export const createHostedConnection = operation({
  method: 'POST',
  url: '/api/v1/git-connections/hosted-token',
  summary: 'Create a Git connection to a host that everybody knows',
  description: 'The host is asked first: a token that it does not accept is refused.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'quota-reached'],
  body: z.strictObject({
    token: tokenText,
    host: z.enum(hosts).optional().describe('By default the one that the token begins as those of.'),
    label: nameText().optional().describe('By default the account and the host.'),
    ...newProjects,
  }),
  ownEffect: true,
  status: 201,
  result: gitConnectionSchema,
  async handle({ caller, body, database, server, once }) {
    const { token, label, host: _, ...projects } = body;
    const allowed = await wantedProjects(database, caller, projects);
    const host = body.host ?? hostOfToken(token);
    if (host === undefined) {
      const message = `must be one of ${hosts.join(', ')}: the token does not say it`;
      throw invalidFields([{ location: 'body.host', message }]);
    }
    const connection = await verified({ kind: 'hosted-token', host, label, token }, server);
    return await once((effect) => writeConnection(effect, caller, { ...connection, allowed }, server));
  },
});
