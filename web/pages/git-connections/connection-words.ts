import type { Tone } from '../../components/style.ts';
import type { Answers } from '../../control-plane/session.ts';

export type Connection = Answers['gitConnections']['list']['items'][number];

const providers: Record<Connection['provider'], string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  gitea: 'Gitea or Forgejo',
  plain: 'Git over https',
};

export function providerName(provider: Connection['provider']): string {
  return providers[provider];
}

export function stateOf({ lastError, missingPermissions, verifiedAt }: Connection): { word: string; tone: Tone } {
  if (lastError !== '') return { word: 'Failing', tone: 'fault' };
  if (missingPermissions.length > 0) return { word: 'Lacks rights', tone: 'attention' };
  // A host that only serves git tells nothing of a token by itself.
  if (verifiedAt === undefined) return { word: 'Token not checked', tone: 'neutral' };
  return { word: 'Working', tone: 'good' };
}

/** Where a webhook is added at the host, in its own words. */
export function howToPaste(provider: Connection['provider']): string {
  switch (provider) {
    case 'github':
      return 'Settings of the repository or organization → Webhooks → Add webhook: Payload URL, content type application/json, Secret, just the push event.';
    case 'gitlab':
      return 'Settings of the project or group → Webhooks → Add new webhook: URL, Secret token, triggers Push events and Tag push events.';
    case 'gitea':
      return 'Settings of the repository or organization → Webhooks → Add webhook → Gitea or Forgejo: Target URL, Secret, trigger on push events.';
    default:
      return 'Send each push by POST to this address, as JSON with the header X-Ballast-Signature, made with the secret as docs/builds.md shows.';
  }
}
