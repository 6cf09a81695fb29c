import { deleteAction } from '../../components/actions/delete-action.tsx';
import { dialogAction } from '../../components/actions/dialog-action.tsx';
import { namesIn } from '../../components/dialogs/affected-list.tsx';
import type { Column } from '../../components/table/column.ts';
import { ListPage } from '../../components/table/list-page.tsx';
import { nameColumn } from '../../components/table/name-column.tsx';
import { timeColumn } from '../../components/table/time-column.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useListed } from '../../control-plane/sought.ts';
import { Maker } from '../api-tokens/maker.tsx';
import { changeRule, makeRule } from './rule-actions.tsx';
import { type Rule, RuleSentence } from './rule-sentence.tsx';
import { WorkflowFile } from './workflow-file.tsx';

/** Rules that let CI jobs authenticate without a stored secret. */
export function CiJobs() {
  const { trpc } = usePlane();
  return (
    <ListPage
      about="CI jobs exchange the token of their platform for a short-lived API token, without a stored secret. The first rule that a job matches applies."
      pages={useListed(trpc.trustedIssuers.list, { query: { limit: 100 } }, texts)}
      columns={columns}
      actions={(rule) => [
        dialogAction({
          label: 'Show the job file',
          title: `Get a token by ${rule.name}`,
          wide: true,
          content: (close) => <WorkflowFile rule={rule} onClose={close} />,
        }),
        changeRule(trpc, rule),
        deleteAction({
          noun: 'rule',
          name: rule.name,
          operation: trpc.trustedIssuers.delete,
          path: { id: rule.id },
          touches: [trpc.apiTokens.pathKey()],
          affected: [
            {
              what: 'Tokens that jobs hold now',
              names: namesIn(
                trpc.apiTokens.list.queryOptions({ query: { trustedIssuerId: rule.id, live: true, limit: 200 } }),
              ),
            },
          ],
          consequences: 'Its jobs get no more tokens. Existing ones are revoked, and their open streams close at once.',
        }),
      ]}
      make={makeRule(trpc)}
      makeIn="add"
      searchBy="name or issuer"
      empty={{
        title: 'No jobs are trusted yet',
        text: 'A job of GitHub Actions, GitLab and others can show which repository and branch it is, and get a token for it. There is no secret to store, to rotate or to leak.',
      }}
    />
  );
}

const texts = ({ name, issuer }: Rule) => [name, issuer];

const columns: Column<Rule>[] = [
  { ...nameColumn(), label: 'Rule' },
  { label: 'Trusts', cell: (rule) => <RuleSentence rule={rule} />, width: 'minmax(0, 4fr)' },
  { label: 'Created by', cell: ({ createdBy }) => <Maker id={createdBy} />, width: '8rem', phone: 'labelled' },
  timeColumn('Last used', ({ lastUsedAt }) => lastUsedAt),
];
