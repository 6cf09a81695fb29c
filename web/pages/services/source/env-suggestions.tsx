import { CopyFile } from '../../../components/copyable.tsx';
import { Fact } from '../../../components/page.tsx';
import { type Detected, envFileOf, keyWords } from './detection-words.ts';

interface EnvSuggestionsProps {
  keys: Detected['envTemplate']['keys'];
  /** Of the template. */
  path: string;
}

/** More would push the form out of sight; the file to copy has all of them. */
const most = 12;

/** The variables that the template of the repository asks for, and an env file of them to fill in. */
export function EnvSuggestions({ keys, path }: EnvSuggestionsProps) {
  if (keys.length === 0) return null;
  const file = envFileOf(keys);
  return (
    <Fact label="Variables">
      <p className="text-pretty text-soft">
        <code className="break-all">{path}</code> asks for these. Set them on the variables page of the service, once it
        is staged.
      </p>
      <ul className="mt-1.5 flex flex-col gap-1.5">
        {keys.slice(0, most).map((key) => (
          <li key={key.key}>
            <code className="break-all">{key.key}</code> <span className="text-soft">{keyWords(key)}</span>
            {key.comment !== '' && <span className="block text-pretty text-soft text-xs">{key.comment}</span>}
          </li>
        ))}
      </ul>
      {keys.length > most && <p className="mt-1.5 text-soft">And {keys.length - most} more.</p>}
      {file !== '' && (
        <details className="mt-2">
          <summary className="cursor-pointer rounded-sm">As an env file, for Import</summary>
          <div className="mt-1.5">
            <CopyFile name={path} text={file} />
          </div>
        </details>
      )}
    </Fact>
  );
}
