import { z } from 'zod';
import { isRegistryHost } from '../../domain/services/image-reference.ts';
import { hostedGit } from '../../outbound/git/probe.ts';
import { nameText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { newProjects, wantedProjects } from '../source-credentials/projects-field.ts';
import { gitConnectionSchema } from './git-connection.ts';
import { tokenText, verified, writeConnection } from './new-connection.ts';

const hostText = z
  .string()
  .trim()
  .toLowerCase()
  .max(255)
  .transform((text) => text.replace(/^https:\/\//, '').replace(/\/+$/, ''))
  .refine((text) => isRegistryHost(text.replace(/^http:\/\//, '')), {
    error: 'must be a host, such as git.example.com or git.example.com:8443',
  })
  .describe('`git.example.com`, with its port; `http://…` only where OUTBOUND_ALLOWED_RANGES has its address.');

export const createSelfhostedConnection = operation({
  method: 'POST',
  url: '/api/v1/git-connections/selfhosted-token',
  summary: 'Create a Git connection to a host of your own',
  description:
    'Whether the host is GitLab, Gitea, Forgejo, GitHub Enterprise Server or plain git over https is found by asking it. A token that it does not accept is refused; of a plain host the token may be `name:password`, and shows with the first repository whether it is right.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'quota-reached'],
  body: z.strictObject({ host: hostText, label: nameText(), token: tokenText, ...newProjects }),
  ownEffect: true,
  status: 201,
  result: gitConnectionSchema,
  async handle({ caller, body, database, server, once }) {
    // A form that asks for any host need not know which ones everybody knows.
    const { host, label, token, ...projects } = body;
    const kind = hostedGit.has(host) ? 'hosted-token' : 'selfhosted-token';
    const allowed = await wantedProjects(database, caller, projects);
    const connection = await verified({ kind, host, label, token }, server);
    return await once((effect) => writeConnection(effect, caller, { ...connection, allowed }, server));
  },
});
