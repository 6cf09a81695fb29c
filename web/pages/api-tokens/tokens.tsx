import { KeyIcon } from '@primer/octicons-react';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { DeleteOperation } from '../../components/dialogs/delete-operation.tsx';
import { MenuItem } from '../../components/dialogs/menu.tsx';
import { useAddressDialog } from '../../components/dialogs/use-address-dialog.ts';
import { useDialog } from '../../components/dialogs/use-dialog.ts';
import { FilterBar } from '../../components/filter-bar/filter-bar.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState, NoPermission } from '../../components/states.tsx';
import { Table } from '../../components/table/table.tsx';
import { useNow } from '../../components/times/now.ts';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay, useMembership } from '../../control-plane/session.ts';
import { MakeToken } from './make-token.tsx';
import { columns, isOver, type Token } from './token-columns.tsx';

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
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$organization/tokens' });
  const now = useNow();
  const revoking = useDialog<Token>();
  const live = search.over !== true;
  const tokens = usePages(trpc.apiTokens.list, { query: { live } });
  const shows = useCallback((token: Token) => !live || !isOver(token, now), [live, now]);
  const making = useAddressDialog('make');
  const makeButton = (
    <Button look="strong" onClick={making.show}>
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
      <div className="flex flex-col gap-3">
        <FilterBar
          values={search}
          onChange={(next) => void navigate({ search: next, replace: true })}
          filters={[{ name: 'over', label: 'Revoked and expired too' }]}
        />
        <Card>
          <Table
            label="API tokens"
            pages={tokens}
            columns={columns}
            name={({ name }) => name}
            shows={shows}
            menu={(token) =>
              !isOver(token, now) && (
                <MenuItem danger onSelect={() => revoking.show(token)}>
                  Revoke
                </MenuItem>
              )
            }
            empty={
              <EmptyState icon={<KeyIcon />} title={live ? 'No valid tokens' : 'No tokens yet'}>
                A token gives a program the rights of its role, without a person signing in.
              </EmptyState>
            }
          />
        </Card>
      </div>
      <MakeToken open={making.open} onClose={making.close} />
      {revoking.about !== undefined && (
        <DeleteOperation
          key={revoking.key}
          operation={trpc.apiTokens.revoke}
          thing={revoking.about}
          verb="Revoke"
          noun="token"
          open={revoking.open}
          onClose={revoking.close}
        >
          Its next request is refused, and its open streams close at once. This cannot be undone.
        </DeleteOperation>
      )}
    </Page>
  );
}
