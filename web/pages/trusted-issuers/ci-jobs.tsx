import { type ReactNode, useState } from 'react';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { dialogAction } from '../../components/actions/dialog-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { CopyFile } from '../../components/copyable.tsx';
import { namesIn } from '../../components/dialogs/affected-list.tsx';
import { Done } from '../../components/dialogs/dialog.tsx';
import { Select } from '../../components/forms/form.tsx';
import { roleWords } from '../../components/forms/roles.tsx';
import type { Column } from '../../components/table/column.ts';
import { ListPage } from '../../components/table/list-page.tsx';
import { nameColumn, timeColumn } from '../../components/table/usual-columns.tsx';
import { durationText } from '../../components/times/durations.ts';
import { type Plane, usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMembership } from '../../control-plane/session.ts';
import { useListed } from '../../control-plane/sought.ts';
import { Maker } from '../api-tokens/maker.tsx';
import { jobSnippet } from './job-snippet.ts';
import { ciOf, issuerName, knownCis, orderedClaims } from './known-ci.ts';
import { newRule, ruleFields } from './rule-fields.tsx';

/** The lines by which a job gets its token, ready to paste into the file of the CI. */
export function WorkflowFile({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  const { slug } = useMembership();
  const [ci, setCi] = useState(() => ciOf(rule.issuer));
  const snippet = jobSnippet(ci.id, { url: location.origin, organization: slug, audience: rule.audience });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-64 text-pretty text-soft text-sm">
          The job exchanges the token of its CI for one of Ballast that lasts{' '}
          {durationText(rule.tokenLifetimeSeconds * 1000)}. There is nothing to store.
        </p>
        <div className="w-44">
          <Select
            label="CI system"
            value={ci.id}
            onChange={(id) => setCi(knownCis.find((one) => one.id === id) ?? ci)}
            choices={knownCis.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </div>
      </div>
      <CopyFile text={snippet.text} name={snippet.file} />
      <Done onClose={onClose} />
    </div>
  );
}

/** Creates a rule, then shows the lines that a job needs to use it. */
export const makeRule = (trpc: Plane['trpc']) =>
  formAction({
    label: 'Trust jobs',
    operation: trpc.trustedIssuers.create,
    start: newRule(),
    fields: ruleFields(false),
    title: 'Trust jobs of a CI',
    submit: 'Trust these jobs',
    succeeded: ({ name }) => `${name} created`,
    touches: [trpc.apiTokens.pathKey()],
    after: {
      wide: true,
      title: ({ name }) => `${name}: jobs are trusted now`,
      content: (made, close) => <WorkflowFile rule={made} onClose={close} />,
    },
  });

export const changeRule = (trpc: Plane['trpc'], rule: Rule) =>
  formAction({
    label: 'Change',
    operation: trpc.trustedIssuers.update,
    path: { id: rule.id },
    current: rule,
    fields: ruleFields(true),
    title: `Change ${rule.name}`,
    submit: 'Save',
    succeeded: ({ name }) => `${name} saved`,
    touches: [trpc.apiTokens.pathKey()],
    children: (
      <p className="text-pretty text-soft text-sm">
        Changing the issuer, the audience, a claim or the role revokes the existing tokens of this rule.
      </p>
    ),
  });

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

type Rule = Answers['trustedIssuers']['list']['items'][number];

/** "Jobs of GitHub Actions whose repository is octo/app and whose ref is refs/heads/main get the role deployer for 15 min." */
function RuleSentence({ rule }: { rule: Rule }) {
  const { issuer, claims, role, projectIds, tokenLifetimeSeconds } = rule;
  const limit = projectIds === undefined ? '' : `, for ${projectIds.length} of its projects`;
  return (
    <>
      Jobs of <Word>{issuerName(issuer)}</Word>
      {orderedClaims(issuer, claims).map(([claim, patterns], index) => (
        <span key={claim}>
          {index === 0 ? ' ' : ' and '}whose {claim} is{' '}
          {patterns.map((pattern, at) => (
            <span key={pattern}>
              {at > 0 && ' or '}
              <code className="wrap-anywhere font-mono text-[0.92em] text-text">{pattern}</code>
            </span>
          ))}
        </span>
      ))}{' '}
      get the role <Word>{roleWords[role].name.toLowerCase()}</Word> for {durationText(tokenLifetimeSeconds * 1000)}
      {limit}.
    </>
  );
}

function Word({ children }: { children: ReactNode }) {
  return <span className="text-text">{children}</span>;
}
