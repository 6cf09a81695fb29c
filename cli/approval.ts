import type { z } from 'zod';
import type { approvalSchema } from '../api/approvals/approval.ts';
import type { detailSchema } from '../api/approvals/operations.ts';
import { defined } from '../domain/defined.ts';
import { type SeenChange, seenChange } from '../domain/variables/build-time.ts';
import { asPerson } from './engine/as-person.ts';
import { command, UsageError } from './engine/command.ts';
import { ofTheEnvironment } from './engine/credential.ts';
import { wholeNumberOf } from './engine/given.ts';
import { listed, type Outcome } from './engine/outcome.ts';
import { type Address, Rest, RestRefusal, restOptions } from './engine/rest.ts';
import { asFacts, asTable, inParts, said } from './engine/table.ts';
import { environmentOptions } from './place/here.ts';
import { narrowed } from './place/narrowed.ts';

/** The fields of an approval that a command needs. */
interface DecidedApproval {
  id: string;
  kind: string;
  environmentName: string;
  requestedBy: string;
  requestedById: string;
  createdAt: string;
  decision?: string;
}

interface DecideGiven extends Address {
  reason?: string | undefined;
  refresh?: boolean | undefined;
}

/** Decides the approval that was named, or the only one that waits. */
async function decide(given: DecideGiven, id: string | undefined, decision: 'approved' | 'rejected'): Promise<Outcome> {
  const rest = new Rest(given);
  const approval = id ?? (await onlyOne(rest)).id;
  const path = `/approvals/${encodeURIComponent(approval)}`;
  if (given.refresh === true) {
    // A new approval takes the place of one that is stale; it is looked at before somebody decides.
    const fresh = await rest.call<DecidedApproval>('POST', `${path}/refresh`);
    return {
      json: fresh,
      text: said`The approval ${fresh.id} takes its place: look at it, then approve it by this id.`,
    };
  }
  const decided = await rest
    .call<DecidedApproval>('POST', `${path}/decide`, defined({ decision, reason: given.reason }))
    .catch(async (error: unknown) => {
      if (decision !== 'approved' || !(error instanceof RestRefusal) || error.status !== 409) throw error;
      const { stale } = await rest.call<{ stale: boolean }>('GET', path);
      if (!stale) throw error;
      throw new RestRefusal(`${error.message} ${said`\`./ballast approve --refresh ${approval}\` refreshes it.`}`, 409);
    });
  return { json: decided, text: said`The approval ${decided.id} is ${decided.decision ?? decision}.` };
}

async function onlyOne(rest: Rest): Promise<DecidedApproval> {
  const waiting = await rest.all<DecidedApproval>('/approvals', undefined, { state: 'pending' });
  const [only, ...others] = waiting;
  if (only === undefined) throw new UsageError('No approval waits for a decision.');
  if (others.length === 0) return only;
  const you = (await rest.all<{ callerId: string }>('/organizations'))[0]?.callerId;
  const lines = waiting.map(({ id, kind, environmentName, requestedBy, requestedById, createdAt }) => {
    const by = requestedById === you ? 'you' : requestedBy;
    return said`  ${id}  ${kind} in ${environmentName} by ${by}, ${createdAt}`;
  });
  throw new UsageError(`Several approvals wait; name one of them:\n${lines.join('\n')}`);
}

interface BreakGlassGiven extends DecideGiven {
  organization?: string | undefined;
  'session-file'?: string | undefined;
}

/** Approves in place of somebody else. Nothing about it is guessed: neither which approval, nor why. */
async function breakGlass(given: BreakGlassGiven, id: string | undefined): Promise<Outcome> {
  const reason = given.reason?.trim() ?? '';
  if (id === undefined) throw new UsageError('--break-glass takes the id of the approval.');
  if (reason === '') throw new UsageError('--break-glass takes --reason: why nobody else could decide.');
  if (given.refresh) throw new UsageError('--refresh decides nothing: look at what it composes, then break the glass.');
  const rest = await restOf(given);
  const path = `/approvals/${encodeURIComponent(id)}/break-glass`;
  const approved = await rest.call<{ id: string }>('POST', path, { reason });
  return {
    json: approved,
    text: said`The approval ${approved.id} is approved by break-glass; all admins and owners are told.`,
  };
}

/** A token that was named counts before the session of the environment. */
async function restOf({ organization, 'session-file': given, ...address }: BreakGlassGiven): Promise<Rest> {
  const ambient = address['token-file'] === undefined ? ofTheEnvironment().sessionFile : undefined;
  const file = given ?? ambient;
  return file === undefined ? new Rest(address) : (await asPerson(file, { organization, url: address.url })).rest;
}

export const approve = command({
  summary: 'Approves a change that is held',
  usage: '[APPROVAL] [--reason TEXT] [--refresh] [--break-glass] [--organization SLUG] [--session-file FILE] [--json]',
  details: `Without an id it is the only approval that waits. Administrators and owners decide, and not about what they have requested
themselves, unless nobody else may. A token decides as the person who created it, whose own changes are those of their other
tokens, too; one that \`./ballast token create\` made stands for who holds the installation. The console shows what would change.

With --break-glass an owner approves in place of somebody else, in an emergency: it takes the id, a reason, and the session of
that owner or a token that \`./ballast token create\` made. All administrators and owners are told, and a stale approval is still
refused. A session is the value of the cookie svc_session of a browser that is signed in, in a file that only you can read.`,
  options: {
    reason: { type: 'string', value: 'TEXT', what: 'Why, for people who read the history.' },
    refresh: { type: 'boolean', what: 'Compose a stale one anew, as a new approval, and decide nothing yet.' },
    'break-glass': { type: 'boolean', what: 'Approve it in place of somebody else; all admins and owners are told.' },
    organization: {
      type: 'string',
      value: 'SLUG',
      what: 'With a session: the organization, where you are in several.',
    },
    'session-file': {
      type: 'string',
      value: 'FILE',
      what: 'With --break-glass: an owner’s session, or BALLAST_SESSION_FILE.',
    },
    ...restOptions,
  },
  run: async ({ 'break-glass': broken = false, 'session-file': session, organization, ...given }, [id]) => {
    if (broken) return await breakGlass({ ...given, 'session-file': session, organization }, id);
    if (session !== undefined || organization !== undefined) {
      throw new UsageError('--session-file and --organization are for --break-glass: give a token instead.');
    }
    return await decide(given, id, 'approved');
  },
});

type Approval = z.output<typeof approvalSchema>;

export const approvalList = command({
  summary: 'Lists approvals that wait, or were decided, newest first',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--decided] [--tail N] [--json]',
  details: `Only the options narrow it, not the directory. \`./ballast approval show ID\` has what one changes, \`./ballast approve ID\` and
\`./ballast reject ID\` decide.`,
  options: {
    decided: { type: 'boolean', what: 'Those that were decided, in place of those that wait.' },
    tail: { type: 'string', value: 'N', what: 'At most so many; 50 by default.' },
    ...environmentOptions,
  },
  run: async ({ decided, tail, ...given }) => {
    const most = wholeNumberOf('--tail', tail, 1, 10_000) ?? 50;
    const { rest, filter, words } = await narrowed(given);
    const state = decided ? 'decided' : 'pending';
    const approvals = await rest.all<Approval>('/approvals', most, { ...filter, state });
    return listed({ approvals }, said`No approval ${decided ? 'was decided' : 'waits'} in ${words}.`, {
      id: 'id',
      kind: 'kind',
      project: 'projectName',
      environment: 'environmentName',
      by: 'requestedBy',
      requested: 'createdAt',
      [decided ? 'decision' : 'expires']: decisionOf,
      reason: 'reason',
    });
  },
});

function decisionOf({ decision, decidedBy, expiresAt, waitsForYou }: Approval): string {
  if (decision !== undefined) return `${decision}${decidedBy === '' ? '' : ` by ${decidedBy}`}`;
  return waitsForYou === true ? `${expiresAt}, waits for you` : expiresAt;
}

export const reject = command({
  summary: 'Rejects a change that is held',
  usage: '[APPROVAL] [--reason TEXT] [--json]',
  details: 'Without an id it is the only approval that waits. What was staged returns to the draft of its environment.',
  options: { reason: { type: 'string', value: 'TEXT', what: 'Why, for the person who requested it.' }, ...restOptions },
  run: (given, [id]) => decide(given, id, 'rejected'),
});

type Detail = z.output<typeof detailSchema>;

export const approvalShow = command({
  summary: 'Shows an approval: what changes, what it touches, its checks and commits',
  usage: 'APPROVAL [--json]',
  details: 'By its id, as `./ballast approval list` has it. Values of secrets are not shown.',
  options: restOptions,
  run: async (given, [id = '']) => {
    const approval = await new Rest(given).call<Detail>('GET', `/approvals/${encodeURIComponent(id)}`);
    const { decision, decidedBy, brokenGlass, selfApproved, stale, withoutCommits } = approval;
    const how = brokenGlass ? ', by break-glass' : selfApproved ? ', their own change' : '';
    const text = inParts(
      asFacts({
        approval: `${approval.id}, ${approval.kind}`,
        in: `"${approval.environmentName}" of "${approval.projectName}"`,
        'requested by': `${approval.requestedBy} ${approval.createdAt}`,
        reason: approval.reason,
        decision: decision === undefined ? waiting(approval) : `${decision} by ${decidedBy}${how}`,
        'may decide': approval.deciders.map(({ name }) => name).join(', '),
        you: youWords(approval),
        because: approval.decisionReason,
        stale: stale ? `yes; \`./ballast approve ${approval.id} --refresh\` asks anew` : '',
        'change set': approval.changeSetId,
        deployment: approval.deploymentId,
        'also touches': approval.blastRadius.map(({ slug }) => slug).join(', '),
        'no commit named': withoutCommits.map(({ name }) => name).join(', '),
      }),
      asTable(changesOf(approval), '', { service: 'service', change: 'label', from: 'from', to: 'to' }),
      asTable(approval.checks, '', { check: 'id', status: 'status', '': 'detail' }),
      asTable(approval.commits, '', { commit: ({ sha }) => sha.slice(0, 12), by: 'author', at: 'at', '': 'message' }),
    );
    return { json: { approval }, text };
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
function changesOf({ diff }: Detail) {
  const groups = Array.isArray(diff) ? (diff as Changes[]) : [];
  return groups.flatMap(({ serviceSlug: service = '', items = [] }) =>
    items.map(({ label = '', from, to, secret = false, ...item }) => {
      const seen = seenChange(item);
      const shown = (value: string | null | undefined) => (secret ? '••••••••' : (value ?? '').slice(0, 60));
      return { service, label, from: shown(from), to: `${shown(to)}${seen === undefined ? '' : ` (${seen})`}` };
    }),
  );
}
