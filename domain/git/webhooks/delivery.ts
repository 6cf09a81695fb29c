import type { GitProvider } from '../connections.ts';
import type { DeliveryHeaders } from './verify.ts';

/** What a message of a host amounts to. Of `other`, `why` says why nothing is built of it. */
export interface Delivery {
  kind: 'push' | 'tag' | 'ping' | 'deleted' | 'other';
  /** The full name: `team/app`. */
  repository: string;
  /** `refs/heads/main` or `refs/tags/v1`. */
  ref: string;
  /** The commits that the ref named before and names now; empty where it was not there. */
  before: string;
  commit: string;
  /** The first line of the commit's message. */
  message: string;
  /** Who pushed, by the host's word. */
  author: string;
  /** Empty where the host does not say it. */
  defaultBranch: string;
  why: string;
}

type Fields = Readonly<Record<string, unknown>>;

const bounds = { repository: 500, ref: 255, message: 500, author: 100, branch: 255 };

/** Of a body that is JSON; whatever has not the form of its host's messages is `other`. */
export function deliveryOf(provider: GitProvider, headers: DeliveryHeaders, body: unknown): Delivery {
  const fields = of(body);
  if (headers['x-ballast-signature'] !== undefined || provider === 'plain') return plain(fields);
  return provider === 'gitlab' ? gitlab(headers, fields) : github(provider, headers, fields);
}

/** GitHub, and Gitea and Forgejo, which imitate it. */
function github(provider: GitProvider, headers: DeliveryHeaders, fields: Fields): Delivery {
  const named = provider === 'github' ? ['x-github-event'] : ['x-forgejo-event', 'x-gitea-event', 'x-github-event'];
  const event = named.map((name) => text(headers[name], 100)).find((one) => one !== '') ?? '';
  if (event === 'ping') return { ...nothing, kind: 'ping' };
  if (event !== 'push') return other(event);
  const repository = of(fields.repository);
  const [pusher, sender, head] = [of(fields.pusher), of(fields.sender), of(fields.head_commit)];
  const commits = Array.isArray(fields.commits) ? fields.commits : [];
  return pushed({
    repository: repository.full_name,
    ref: fields.ref,
    before: fields.before,
    commit: fields.after,
    // Of an annotated tag `after` is the tag's own object.
    tagged: head.id,
    message: head.message ?? of(commits.find((one) => of(one).id === fields.after)).message,
    author: [pusher.full_name, pusher.name, pusher.username, pusher.login, sender.login],
    defaultBranch: repository.default_branch,
  });
}

function gitlab(headers: DeliveryHeaders, fields: Fields): Delivery {
  const kind = text(fields.object_kind, 100);
  // System hooks and group hooks send the same forms; the header alone says of a test what it is.
  if (kind !== 'push' && kind !== 'tag_push') return other(kind === '' ? text(headers['x-gitlab-event'], 100) : kind);
  const project = of(fields.project);
  const commits = Array.isArray(fields.commits) ? fields.commits : [];
  const commit = fields.after;
  return pushed({
    repository: project.path_with_namespace,
    ref: fields.ref,
    before: fields.before,
    commit,
    tagged: fields.checkout_sha,
    message:
      of(commits.find((one) => of(one).id === (fields.checkout_sha ?? commit))).message ?? of(commits.at(-1)).message,
    author: [fields.user_name, fields.user_username],
    defaultBranch: project.default_branch,
  });
}

/** `{repository, ref, commit, before?, message?, author?, defaultBranch?}`; without a commit the ref was deleted. */
function plain(fields: Fields): Delivery {
  if (fields.ping === true) return { ...nothing, kind: 'ping' };
  const { repository, ref, before, commit = '', message, author, defaultBranch } = fields;
  return pushed({ repository, ref, before, commit, tagged: undefined, message, author: [author], defaultBranch });
}

interface PushPayload {
  repository: unknown;
  ref: unknown;
  before: unknown;
  commit: unknown;
  tagged: unknown;
  message: unknown;
  author: readonly unknown[];
  defaultBranch: unknown;
}

function pushed(told: PushPayload): Delivery {
  const repository = whole(told.repository, bounds.repository);
  const ref = whole(told.ref, bounds.ref);
  if (repository === '' || !/^[^\s/]+(?:\/[^\s/]+)*$/.test(repository))
    return { ...nothing, why: 'it names no repository' };
  if (!/^refs\/(?:heads|tags)\/[^\s\p{Cc}~^:?*[\\]+$/u.test(ref)) {
    return { ...nothing, repository, why: 'it is of no branch and no tag' };
  }
  const about = {
    ...{ repository, ref, before: oid(told.before) ?? '', why: '' },
    message:
      text(told.message, 20_000)
        .split(/[\r\n]/, 1)[0]
        ?.trim()
        .slice(0, bounds.message) ?? '',
    author: told.author.map((one) => text(one, bounds.author).replace(/[\r\n]+/g, ' ')).find((one) => one !== '') ?? '',
    defaultBranch: whole(told.defaultBranch, bounds.branch),
  };
  const after = oid(told.commit);
  if (told.commit === '' || /^0+$/.test(after ?? '')) return { ...about, kind: 'deleted', commit: '' };
  const tag = ref.startsWith('refs/tags/');
  const commit = tag ? (oid(told.tagged) ?? after) : after;
  if (commit === undefined) return { ...about, kind: 'other', commit: '', why: 'it names no commit' };
  return { ...about, kind: tag ? 'tag' : 'push', commit };
}

const nothing: Delivery = {
  ...{ kind: 'other', repository: '', ref: '', before: '', commit: '' },
  ...{ message: '', author: '', defaultBranch: '', why: '' },
};

/**
 * A pull request may come from a fork: its code is that of a stranger, and a build gets secrets of the service. So whatever
 * tells of one builds nothing; once it is merged, the push of the branch does.
 */
function other(event: string): Delivery {
  const name = event === '' ? 'without a name' : `"${event}"`;
  const why = /pull|merge/i.test(event)
    ? 'pull requests and merge requests are never built: they may come from a fork, and builds get secrets'
    : `events ${name} build nothing; only pushes of branches and tags do`;
  return { ...nothing, why };
}

function of(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** Cut to its bound, without control characters other than line breaks. */
function text(value: unknown, most: number): string {
  if (typeof value !== 'string') return '';
  return value
    .slice(0, most)
    .replace(/(?![\r\n])[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim();
}

/** A name is not cut: half of it would be another one. */
function whole(value: unknown, most: number): string {
  return typeof value === 'string' && value.length <= most && !/[\p{Cc}\p{Cs}]/u.test(value) ? value : '';
}

/** A commit, as git names it by either of its hashes. */
function oid(value: unknown): string | undefined {
  return typeof value === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value : undefined;
}
