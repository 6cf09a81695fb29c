import { asSentence } from '../../../components/forms/operation/values.ts';
import type { ShownProblem } from '../../../control-plane/problem.ts';
import type { Answers } from '../../../control-plane/session.ts';

export type Detected = Answers['repositoryConfig']['detectProject'];
type Key = Detected['envTemplate']['keys'][number];

const subjects: Readonly<Record<string, string>> = {
  'body.repository': 'The repository',
  'body.gitUrl': 'The address',
  'body.context': 'The folder',
};

/** Why a repository could not be read, as a sentence with its subject. */
export function reasonOf({ fields, detail }: Pick<ShownProblem, 'fields' | 'detail'>, branch: string): string {
  const [[place, message] = ['', '']] = Object.entries(fields);
  if (message === '') return detail;
  const subject = place === 'body.branch' ? `The branch ${branch}` : subjects[place];
  const sentence = subject === undefined ? asSentence(message) : `${subject} ${message}`;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** The host's own sentence: that it could not be read is said before. */
export function hostSays({ fields, detail }: Pick<ShownProblem, 'fields' | 'detail'>): string {
  const [message = detail] = Object.values(fields);
  return asSentence(message.replace(/^cannot be read: /, ''));
}

/** What a template of variables says of one of them. */
export function keyWords({
  required,
  providedBy,
  secretSuggested,
  generateSuggested,
  placeholder,
  example,
}: Key): string {
  if (providedBy === 'platform') return 'given by Ballast';
  if (providedBy === 'project') return 'a shared variable has it';
  const needed = required ? 'needed' : 'optional';
  const kind = secretSuggested ? ', secret' : '';
  if (generateSuggested) return `${needed}${kind}, any random text will do`;
  return example === '' || placeholder || secretSuggested ? `${needed}${kind}` : `${needed}, for example ${example}`;
}

/** The variables that somebody has to give, as an env file to fill in; secrets have no value in it. */
export function envFileOf(keys: readonly Key[]): string {
  return keys
    .filter(({ providedBy }) => providedBy === '')
    .map(
      ({ key, example, placeholder, secretSuggested }) =>
        `${key}=${placeholder || secretSuggested ? '' : quoted(example)}`,
    )
    .join('\n');
}

/** As env files have it where a value is more than one plain word. */
function quoted(value: string): string {
  return /^[\w./:@%+,-]*$/.test(value) ? value : JSON.stringify(value).replaceAll('$', '\\$');
}
