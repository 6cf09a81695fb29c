import type { z } from 'zod';
import type { detailSchema } from '../../api/approvals/operations.ts';
import { type SeenChange, seenChange } from '../../domain/variables/build-time.ts';
import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { asLines, asTable, printable } from '../engine/table.ts';

type Detail = z.output<typeof detailSchema>;

export const approvalShow = command({
  summary: 'Shows an approval: what changes, what it touches, its checks and commits',
  usage: 'APPROVAL [--json]',
  details: 'By its id, as `./ballast approval list` has it. Values of secrets are not shown.',
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [id = '']) => {
    const approval = await new Rest(given).call<Detail>('GET', `/approvals/${encodeURIComponent(id)}`);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ approval }, undefined, 2)}\n`);
    const { decision, decidedBy, brokenGlass, selfApproved, stale, withoutCommits } = approval;
    const how = brokenGlass ? ', by break-glass' : selfApproved ? ', their own change' : '';
    process.stdout.write(
      asLines([
        ['approval', `${approval.id}, ${approval.kind}`],
        ['in', `"${approval.environmentName}" of "${approval.projectName}"`],
        ['requested by', `${approval.requestedBy} ${approval.createdAt}`],
        ['reason', approval.reason],
        ['decision', decision === undefined ? waiting(approval) : `${decision} by ${decidedBy}${how}`],
        ['may decide', approval.deciders.map(({ name }) => printable(name)).join(', ')],
        ['you', youWords(approval)],
        ['because', approval.decisionReason],
        ['stale', stale ? `yes; \`./ballast approve ${approval.id} --refresh\` asks anew` : ''],
        ['change set', approval.changeSetId ?? ''],
        ['deployment', approval.deploymentId ?? ''],
        ['also touches', approval.blastRadius.map(({ slug }) => slug).join(', ')],
        ['no commit named', withoutCommits.map(({ name }) => name).join(', ')],
      ]),
    );
    table(['service', 'change', 'from', 'to'], changesOf(approval));
    const checks = approval.checks.map(({ id: check, status, detail }) => [check, status, printable(detail)]);
    table(['check', 'status', ''], checks);
    const commits = approval.commits.map(({ sha, author, at, message }) => [
      ...[sha.slice(0, 12), printable(author), at, printable(message)],
    ]);
    table(['commit', 'by', 'at', ''], commits);
  },
});

const refusals: Record<Detail['whyNotYou'], string> = {
  '': '',
  role: '',
  job: 'decide nothing: this is the token of a CI job',
  requested: 'do not decide: you requested it',
  staged: 'do not decide: you staged a part of it',
  'trusted-issuer':
    'do not decide: a CI job of a trusted issuer that you created or changed requested or staged a part of it',
};

/** Why the reader may not decide it, or that it would be a decision on a change of their own. */
function youWords({ whyNotYou, selfApproves }: Detail): string {
  return selfApproves === true ? 'may decide on a change of your own, since nobody else could' : refusals[whyNotYou];
}

function waiting({ waitsForYou, expiresAt }: Detail): string {
  return `${waitsForYou === true ? 'waits for you' : 'waits'} until ${expiresAt}`;
}

interface Changes {
  serviceSlug?: string;
  items?: ({ label?: string; from?: string | null; to?: string | null; secret?: boolean } & SeenChange)[];
}

/** The difference of a change set as it was requested; one deployment has none. */
function changesOf({ diff }: Detail): string[][] {
  const groups = Array.isArray(diff) ? (diff as Changes[]) : [];
  return groups.flatMap(({ serviceSlug = '', items = [] }) =>
    items.map(({ label = '', from, to, secret = false, ...item }) => {
      const seen = seenChange(item);
      const shown = (value: string | null | undefined) => (secret ? '••••••••' : printable(value ?? '').slice(0, 60));
      const after = `${shown(to)}${seen === undefined ? '' : ` (${seen})`}`;
      return [printable(serviceSlug), printable(label), shown(from), after];
    }),
  );
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length > 0) process.stdout.write(`\n${asTable(titles, rows)}`);
}
