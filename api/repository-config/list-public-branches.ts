import { z } from 'zod';
import { gitUrlFault, longestGitUrl } from '../../domain/git/address.ts';
import { gitAddress } from '../../outbound/git/address.ts';
import { branchesOf } from '../../outbound/git/branches.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { toldBy } from '../git-connections/git-connection.ts';
import { gitBranchesSchema } from '../git-connections/list-branches.ts';

/** Beneath the deadline of a request. */
const timeoutMillis = 20_000;

/** An address may hold a password by mistake, and queries are logged: so it is in a body, although nothing changes. */
export const listPublicBranches = operation({
  method: 'POST',
  url: '/api/v1/repository-config/branches',
  summary: 'List the branches of a repository that everybody may read',
  description: 'As its host tells them now, by git itself. It changes nothing.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'refused',
  problems: [],
  body: z.strictObject({ gitUrl: z.string().max(longestGitUrl).describe('An https address.') }),
  ownEffect: true,
  result: gitBranchesSchema,
  async handle({ body: { gitUrl }, server: { outbound }, once }) {
    const fault = gitUrlFault(gitUrl);
    if (fault !== undefined) throw refused(fault);
    const found = await toldBy(() =>
      branchesOf(gitAddress(gitUrl, outbound), undefined, { ...outbound, timeoutMillis }),
    );
    if ('error' in found) throw refused(`cannot be read: ${found.error}`);
    return await once(async () => found.told);
  },
});

function refused(message: string) {
  return invalidFields([{ location: 'body.gitUrl', message }]);
}
