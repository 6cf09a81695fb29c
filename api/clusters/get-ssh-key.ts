import { z } from 'zod';
import { organizationSshKey } from '../../db/organizations/organization-ssh-key.ts';
import { operation } from '../engine/operation.ts';

export const getSshKey = operation({
  method: 'GET',
  url: '/api/v1/clusters/ssh-key',
  summary: "Get the organization's public SSH key",
  description: 'For `authorized_keys` of machines that the control plane reaches by SSH.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: [],
  result: z.object({ publicKey: z.string() }).meta({ id: 'SshKey' }),
  async handle({ caller, server }) {
    return { publicKey: await organizationSshKey(server.keyring, caller.organization) };
  },
});
