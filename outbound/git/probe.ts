import { hostUrl } from '../../domain/git/address.ts';
import type { GitProvider } from '../../domain/git/connections.ts';
import type { PublicAnswer } from '../exchange.ts';
import { askGitHost, type GitRules } from './ask.ts';

const known: Readonly<Record<string, GitProvider>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'codeberg.org': 'gitea',
  'gitea.com': 'gitea',
};

/** The hosts whose interface everybody knows. */
export const hostedGit: ReadonlyMap<string, GitProvider> = new Map(Object.entries(known));

/** Which interface a host speaks, by what only that one answers. The token is not sent. */
export async function probeGitHost(host: string, rules: GitRules): Promise<GitProvider> {
  const provider = hostedGit.get(host);
  if (provider !== undefined) return provider;
  const ask = async (path: string) =>
    fieldsOf(await askGitHost(`${hostUrl(host)}${path}`, { maxBytes: 1_048_576 }, rules));
  const gitea = await ask('/api/v1/version');
  if (gitea.status === 200 && typeof gitea.fields.version === 'string') return 'gitea';
  const gitlab = await ask('/api/v4/version');
  // GitLab says its version to those who have signed in; its refusal has this form.
  if (gitlab.status === 401 && typeof gitlab.fields.message === 'string') return 'gitlab';
  if (gitlab.status === 200 && typeof gitlab.fields.version === 'string') return 'gitlab';
  const github = await ask('/api/v3/meta');
  if (github.status === 200 && typeof github.fields.verifiable_password_authentication === 'boolean') return 'github';
  // An installation in private mode answers nobody without a token.
  if (github.status === 401 && typeof github.fields.documentation_url === 'string') return 'github';
  return 'plain';
}

function fieldsOf({ status, body }: PublicAnswer): { status: number; fields: Record<string, unknown> } {
  try {
    const read: unknown = JSON.parse(body.toString('utf8'));
    if (typeof read === 'object' && read !== null) return { status, fields: read as Record<string, unknown> };
  } catch {
    // A page of a host that speaks something else.
  }
  return { status, fields: {} };
}
