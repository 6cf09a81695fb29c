import { Copyable } from '../../components/copyable.tsx';
import { roleWords } from '../../components/forms/roles.tsx';
import { Badge } from '../../components/status.tsx';
import { classes } from '../../components/style.ts';
import type { Column } from '../../components/table/column.ts';
import { timeColumn } from '../../components/table/time-column.tsx';
import { useNow } from '../../components/times/now.ts';
import { Time } from '../../components/times/time.tsx';
import type { Answers } from '../../control-plane/session.ts';
import { Maker } from './maker.tsx';

export type Token = Answers['apiTokens']['list']['items'][number];

/** Revoked or expired tokens are refused. */
export function isOver({ revokedAt, expiresAt }: Token, now: number): boolean {
  return revokedAt !== undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= now);
}

const soonMillis = 7 * 86_400_000;

/** A long-lived token that expires within days: somebody has to create another one in time. */
function endsSoon({ createdAt, expiresAt }: Token, now: number): boolean {
  if (expiresAt === undefined) return false;
  const end = Date.parse(expiresAt);
  return end - now < soonMillis && end - Date.parse(createdAt) > 2 * soonMillis;
}

function Name({ token }: { token: Token }) {
  const now = useNow();
  const { name, tokenId, createdBy, revokedAt, projectRestricted, projectIds } = token;
  const over = isOver(token, now);
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2">
        <span className={classes('font-medium', over && 'text-soft')}>{name}</span>
        {createdBy.startsWith('ci: ') && <Badge>CI job</Badge>}
        {over && <Badge>{revokedAt === undefined ? 'expired' : 'revoked'}</Badge>}
        {!over && endsSoon(token, now) && <Badge tone="attention">expires soon</Badge>}
      </span>
      <span className="block text-soft text-sm">
        <Copyable text={tokenId} shown={`svc_${tokenId.slice(0, 8)}…`} label="identifier" />
        {projectRestricted &&
          ` · limited to ${projectIds.length === 1 ? '1 project' : `${projectIds.length} projects`}`}
      </span>
    </>
  );
}

export const columns: Column<Token>[] = [
  { label: 'Name', cell: (token) => <Name token={token} />, sort: ({ name }) => name },
  { label: 'Role', cell: ({ role }) => roleWords[role].name, sort: ({ role }) => role, width: '5rem' },
  {
    label: 'Created',
    cell: ({ createdBy, createdAt }) => (
      <>
        <Time at={createdAt} />{' '}
        <span className="sm:block">
          by <Maker id={createdBy} />
        </span>
      </>
    ),
    sort: ({ createdAt }) => createdAt,
    phone: 'labelled',
  },
  timeColumn('Last used', ({ lastUsedAt }) => lastUsedAt),
  timeColumn('Ends', ({ revokedAt, expiresAt }) => revokedAt ?? expiresAt),
];
