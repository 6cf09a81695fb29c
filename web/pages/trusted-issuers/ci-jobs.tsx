import { BeakerIcon } from '@primer/octicons-react';
import { DeleteOperation } from '../../components/dialogs/delete-operation.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { MenuItem } from '../../components/dialogs/menu.tsx';
import { useAddressDialog } from '../../components/dialogs/use-address-dialog.ts';
import { useDialog } from '../../components/dialogs/use-dialog.ts';
import { Button } from '../../components/forms/button.tsx';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState, NoPermission } from '../../components/states.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { timeColumn } from '../../components/table/time-column.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import { Maker } from '../api-tokens/maker.tsx';
import { RuleDialog } from './rule-dialog.tsx';
import { type Rule, RuleSentence } from './rule-sentence.tsx';
import { WorkflowFile } from './workflow-file.tsx';

const title = 'CI jobs';

/** Rules that let CI jobs authenticate without a stored secret. */
export function CiJobs() {
  return useMay('admin') ? (
    <RuleList />
  ) : (
    <Page title={title}>
      <Card>
        <NoPermission />
      </Card>
    </Page>
  );
}

function RuleList() {
  const { trpc } = usePlane();
  const doing = useDialog<{ rule: Rule; what: 'change' | 'file' | 'delete' }>();
  const rules = usePages(trpc.trustedIssuers.list, { query: { limit: 100 } });
  const adding = useAddressDialog('add');
  const addButton = (
    <Button look="strong" onClick={adding.show}>
      Trust jobs
    </Button>
  );
  const { about, open, key, show, close } = doing;

  return (
    <Page
      title={title}
      about="CI jobs exchange the token of their platform for a short-lived API token, without a stored secret. The first rule that a job matches applies."
      actions={rules.items?.length !== 0 && addButton}
    >
      <Card>
        <Table
          label="Rules"
          pages={rules}
          columns={columns}
          name={({ name }) => name}
          menu={(rule) => (
            <>
              <MenuItem onSelect={() => show({ rule, what: 'file' })}>Show the job file</MenuItem>
              <MenuItem onSelect={() => show({ rule, what: 'change' })}>Change</MenuItem>
              <MenuItem danger onSelect={() => show({ rule, what: 'delete' })}>
                Delete
              </MenuItem>
            </>
          )}
          empty={
            <EmptyState icon={<BeakerIcon />} title="No jobs are trusted yet" action={addButton}>
              A job of GitHub Actions, GitLab and others can show which repository and branch it is, and get a token for
              it. There is no secret to store, to rotate or to leak.
            </EmptyState>
          }
        />
      </Card>
      <RuleDialog open={adding.open} onClose={adding.close} />
      {about?.what === 'change' && <RuleDialog key={key} rule={about.rule} open={open} onClose={close} />}
      {about?.what === 'file' && (
        <Dialog key={key} wide open={open} onClose={close} title={`Get a token by ${about.rule.name}`}>
          <WorkflowFile rule={about.rule} onClose={close} />
        </Dialog>
      )}
      {about?.what === 'delete' && (
        <DeleteOperation
          key={key}
          operation={trpc.trustedIssuers.delete}
          thing={about.rule}
          verb="Delete"
          noun="rule"
          touches={[trpc.apiTokens.pathKey()]}
          open={open}
          onClose={close}
        >
          Its jobs get no more tokens. Existing ones are revoked, and their open streams close at once.
        </DeleteOperation>
      )}
    </Page>
  );
}

const columns: Column<Rule>[] = [
  {
    label: 'Rule',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
    sort: ({ name }) => name,
    width: 'minmax(0, 1fr)',
  },
  { label: 'Trusts', cell: (rule) => <RuleSentence rule={rule} />, width: 'minmax(0, 2fr)' },
  {
    label: 'Created by',
    cell: ({ createdBy }) => <Maker id={createdBy} />,
    width: '8rem',
    phone: 'labelled',
  },
  timeColumn('Last used', ({ lastUsedAt }) => lastUsedAt),
];
