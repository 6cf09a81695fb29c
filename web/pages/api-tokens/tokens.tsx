import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { ListPage } from '../../components/table/list-page.tsx';
import { useNow } from '../../components/times/now.ts';
import { useTimes } from '../../components/times/zone.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { useListed } from '../../control-plane/sought.ts';
import { makeToken } from './make-token.tsx';
import { columns, isOver, type Token } from './token-columns.tsx';

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
