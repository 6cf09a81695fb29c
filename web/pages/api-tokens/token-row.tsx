import { Copyable } from '../../components/copyable.tsx';
import { Button } from '../../components/forms/button.tsx';
import { roleWords } from '../../components/forms/roles.tsx';
import { Row } from '../../components/rows.tsx';
import { Badge } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
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

export function TokenRow({ token, now, onRevoke }: { token: Token; now: number; onRevoke: () => void }) {
  const { name, role, tokenId, createdBy, createdAt, lastUsedAt, revokedAt, expiresAt } = token;
  const over = isOver(token, now);
  return (
    <Row
      title={<span className={over ? 'text-soft' : undefined}>{name}</span>}
      badges={
        <>
          {createdBy.startsWith('ci: ') && <Badge>CI job</Badge>}
          {revokedAt !== undefined ? (
            <Badge>revoked</Badge>
          ) : over ? (
            <Badge>expired</Badge>
          ) : (
            endsSoon(token, now) && <Badge tone="attention">expires soon</Badge>
          )}
        </>
      }
      detail={
        <>
          created by <Maker id={createdBy} /> <Time at={createdAt} />
          {token.projectRestricted && ` · limited to ${projectCount(token.projectIds.length)}`} ·{' '}
          <Copyable text={tokenId} shown={`svc_${tokenId.slice(0, 8)}…`} label="identifier" />
        </>
      }
      facts={
        <>
          <span className="sm:w-20">{roleWords[role].name}</span>
          <span className="sm:w-36">
            {lastUsedAt === undefined ? (
              'Never used'
            ) : (
              <>
                used <Time at={lastUsedAt} />
              </>
            )}
          </span>
          <span className="sm:w-36">
            {revokedAt !== undefined ? (
              <>
                revoked <Time at={revokedAt} />
              </>
            ) : expiresAt === undefined ? (
              'Does not expire'
            ) : (
              <>
                {over ? 'expired' : 'expires'} <Time at={expiresAt} />
              </>
            )}
          </span>
        </>
      }
      actions={
        <span className="flex justify-end sm:w-18">
          {!over && (
            <Button small onClick={onRevoke} aria-label={`Revoke ${name}`}>
              Revoke
            </Button>
          )}
        </span>
      }
    />
  );
}

function projectCount(projects: number): string {
  return projects === 1 ? '1 project' : `${projects} projects`;
}
