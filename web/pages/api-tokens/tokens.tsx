import { KeyIcon } from '@primer/octicons-react';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Confirm } from '../../components/dialogs/confirm.tsx';
import { useDialog } from '../../components/dialogs/use-dialog.ts';
import { Button } from '../../components/forms/button.tsx';
import { Checkbox } from '../../components/forms/form.tsx';
import { Card, Page } from '../../components/page.tsx';
import { Rows } from '../../components/rows.tsx';
import { EmptyState, LoadedPages, NoPermission } from '../../components/states.tsx';
import { useNow } from '../../components/time.tsx';
import { useChange } from '../../control-plane/change.ts';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay, useMembership } from '../../control-plane/session.ts';
import { MakeToken } from './make-token.tsx';
import { isOver, type Token, TokenRow } from './token-row.tsx';

const route = getRouteApi('/$organization/tokens');
const title = 'API tokens';

/** API tokens: credentials of programs. */
export function Tokens() {
  return useMay('admin') ? (
    <TokenList />
  ) : (
    <Page title={title}>
      <Card>
        <NoPermission />
      </Card>
    </Page>
  );
}

function TokenList() {
  const { trpc } = usePlane();
  const { slug } = useMembership();
  const { over, make } = route.useSearch();
  const navigate = useNavigate({ from: '/$organization/tokens' });
  const now = useNow();
  const revoking = useDialog<Token>();
  const live = over !== true;
  const tokens = usePages(trpc.apiTokens.list, { query: { live } });
  const setMaking = (making: boolean) =>
    void navigate({
      search: ({ make: _, ...rest }) => ({ ...rest, ...(making ? { make: true } : {}) }),
      replace: !making,
    });
  const makeButton = (
    <Button look="strong" onClick={() => setMaking(true)}>
      Create a token
    </Button>
  );

  return (
    <Page
      title={title}
      about={
        <>
          Credentials of programs and scripts. Jobs of a CI system need no stored one: see{' '}
          <Link to="/$organization/ci" params={{ organization: slug }} className="rounded-sm underline">
            CI jobs
          </Link>
          .
        </>
      }
      actions={makeButton}
    >
      <Checkbox
        label="Show revoked and expired ones too"
        checked={!live}
        onChange={(show) => void navigate({ search: show ? { over: true } : {}, replace: true })}
      />
      <Card>
        <LoadedPages
          pages={tokens}
          empty={
            <EmptyState icon={<KeyIcon />} title={live ? 'No valid tokens' : 'No tokens yet'}>
              A token gives a program the rights of its role, without a person signing in.
            </EmptyState>
          }
        >
          {(items) => (
            <Rows label="API tokens">
              {items
                .filter((token) => !live || !isOver(token, now))
                .map((token) => (
                  <TokenRow key={token.id} token={token} now={now} onRevoke={() => revoking.show(token)} />
                ))}
            </Rows>
          )}
        </LoadedPages>
      </Card>
      <MakeToken open={make === true} onClose={() => setMaking(false)} />
      {revoking.about !== undefined && (
        <RevokeToken key={revoking.key} token={revoking.about} open={revoking.open} onClose={revoking.close} />
      )}
    </Page>
  );
}

function RevokeToken({ token, open, onClose }: { token: Token; open: boolean; onClose: () => void }) {
  const { client, trpc } = usePlane();
  const revoke = useChange((_: undefined, sent) => client.apiTokens.revoke.mutate({ path: { id: token.id } }, sent), {
    failed: `${token.name} could not be revoked`,
    succeeded: `${token.name} revoked`,
    quiet: true,
    done: onClose,
    touches: () => [trpc.apiTokens.pathKey()],
  });
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={`Revoke ${token.name}?`}
      confirm="Revoke token"
      change={revoke}
      onConfirm={() => revoke.send(undefined)}
    >
      Its next request is refused, and its open streams close at once. This cannot be undone.
    </Confirm>
  );
}
