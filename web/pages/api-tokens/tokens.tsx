import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { Copyable, CopyBlock } from '../../components/copyable.tsx';
import { Done } from '../../components/dialogs/dialog.tsx';
import { SelectField, TextField } from '../../components/forms/form.tsx';
import { roleWords, tokenRoleChoices } from '../../components/forms/roles.tsx';
import { Notice } from '../../components/notice.tsx';
import { Badge } from '../../components/status.tsx';
import { classes } from '../../components/style.ts';
import type { Column } from '../../components/table/column.ts';
import { ListPage } from '../../components/table/list-page.tsx';
import { timeColumn } from '../../components/table/usual-columns.tsx';
import { useNow } from '../../components/times/now.ts';
import { Time } from '../../components/times/time.tsx';
import type { Times } from '../../components/times/times.ts';
import { useTimes } from '../../components/times/zone.ts';
import { type Plane, usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMembership } from '../../control-plane/session.ts';
import { useListed } from '../../control-plane/sought.ts';
import { type Expiry, expiryChoices, expiryTime } from './expiry.ts';
import { Maker } from './maker.tsx';

const usual: Expiry = '90';

export function startOfExpiry(times: Times): string | undefined {
  return expiryTime(usual, '', Date.now(), times);
}

/** The moment of expiry, as a period, a day or never. */
export function ExpiryField({ onChange }: { onChange: (expiresAt: string | undefined) => void }) {
  const [expiry, setExpiry] = useState<Expiry>(usual);
  const [date, setDate] = useState('');
  const times = useTimes();
  const choose = (chosen: Expiry, day: string) => {
    setExpiry(chosen);
    setDate(day);
    if (chosen !== 'date' || day !== '') onChange(expiryTime(chosen, day, Date.now(), times));
  };
  return (
    <>
      <SelectField
        name={expiry === 'date' ? 'expiry' : 'expiresAt'}
        label="Expires"
        value={expiry}
        onChange={(chosen) => choose(expiryChoices.find(({ value }) => value === chosen)?.value ?? expiry, date)}
        choices={expiryChoices}
        hint={expiry === 'never' ? 'Anyone who has it can use it until it is revoked.' : undefined}
      />
      {expiry === 'date' && (
        <TextField
          name="expiresAt"
          type="date"
          label="Last day"
          value={date}
          onChange={(day) => choose('date', day)}
          required
          min={times.day(Date.now())}
        />
      )}
    </>
  );
}

export type MadeToken = Answers['apiTokens']['create'];

/** The secret of a token: here and never again. */
export function TokenSecret({ made, onClose }: { made: MadeToken; onClose: () => void }) {
  return (
    <div className="flex flex-col gap-4">
      <Notice tone="attention" title="Copy it now">
        <p>It is not shown again. Anyone who has it has the rights of its role: keep it like a password.</p>
      </Notice>
      <div className="flex flex-col gap-1.5">
        <p className="font-medium text-sm">Secret</p>
        <CopyBlock text={made.secret} label="secret" />
      </div>
      <div className="flex flex-col gap-1.5">
        <p className="font-medium text-sm">Use it on the command line, with Node on any machine</p>
        <CopyBlock
          text={`export BALLAST_TOKEN=${made.secret}\nnpx --yes ${location.origin}/api/v1/cli/ballast.tgz cluster list`}
          label="command"
        />
      </div>
      <Done onClose={onClose} />
    </div>
  );
}

/** Creates a token, then shows its secret once. */
export const makeToken = (trpc: Plane['trpc'], times: Times) =>
  formAction({
    label: 'Create a token',
    operation: trpc.apiTokens.create,
    start: { role: 'viewer', expiresAt: startOfExpiry(times) },
    fields: {
      name: { hint: 'What the token is for, so that you recognize it later.' },
      role: { choices: tokenRoleChoices },
      expiresAt: { control: ({ onChange }) => <ExpiryField onChange={onChange} /> },
    },
    title: 'Create an API token',
    about: 'For programs and scripts that call the API.',
    submit: 'Create token',
    succeeded: 'Token created',
    after: {
      title: ({ token }) => `The token ${token.name}`,
      content: (made, close) => <TokenSecret made={made} onClose={close} />,
    },
  });

const route = getRouteApi('/$organization/tokens');

/** API tokens: credentials of programs. */
export function Tokens() {
  const { trpc } = usePlane();
  const { slug } = useMembership();
  const now = useNow();
  const live = route.useSearch().over !== true;
  const shows = useCallback((token: Token) => !live || !isOver(token, now), [live, now]);
  const revoke = ({ id, name }: Token) =>
    deleteAction({
      verb: 'Revoke',
      noun: 'token',
      name,
      operation: trpc.apiTokens.revoke,
      path: { id },
      consequences: 'Its next request is refused, and its open streams close at once. This cannot be undone.',
    });
  return (
    <ListPage
      about={
        <>
          Credentials of programs and scripts. Jobs of a CI system need no stored one: see{' '}
          <Link to="/$organization/ci" params={{ organization: slug }} className="rounded-sm underline">
            CI jobs
          </Link>
          .
        </>
      }
      filters={[{ name: 'over', label: 'Revoked and expired too' }]}
      searchBy="name or id"
      pages={useListed(trpc.apiTokens.list, { query: { live } }, texts)}
      shows={shows}
      columns={columns}
      actions={(token) => (isOver(token, now) ? [] : [revoke(token)])}
      make={makeToken(trpc, useTimes())}
      empty={{
        title: live ? 'No valid tokens' : 'No tokens yet',
        text: 'A token gives a program the rights of its role, without a person signing in.',
      }}
    />
  );
}

const texts = ({ name, tokenId }: Token) => [name, tokenId];

type Token = Answers['apiTokens']['list']['items'][number];

/** Revoked or expired tokens are refused. */
function isOver({ revokedAt, expiresAt }: Token, now: number): boolean {
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

const columns: Column<Token>[] = [
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
