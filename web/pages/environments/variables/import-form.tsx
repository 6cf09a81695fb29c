import { useRef, useState } from 'react';
import { parseEnvText } from '../../../../domain/variables/env-text.ts';
import { SubmitOrCancel } from '../../../components/dialogs/dialog.tsx';
import { AreaField } from '../../../components/forms/area-field.tsx';
import { Button } from '../../../components/forms/button.tsx';
import { Checkbox, Form } from '../../../components/forms/form.tsx';
import { Notice } from '../../../components/notice.tsx';
import { type Sent, useChange } from '../../../control-plane/change.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { type Imported, ImportedDiff } from './imported-diff.tsx';
import type { Whose } from './use-staging.ts';

interface ImportFormProps extends Whose {
  onClose: () => void;
}

/** Faults that are shown at once. */
const most = 8;

/** Variables of an env file, pasted, dropped or chosen: first what they change, then all of it is staged or nothing. */
export function ImportForm({ environmentId, serviceId, onClose }: ImportFormProps) {
  const { client, trpc } = usePlane();
  const [text, setText] = useState('');
  const [replace, setReplace] = useState(false);
  const [secret, setSecret] = useState<ReadonlySet<string>>(new Set());
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  /** The changes that the text makes, unless it was typed in since. */
  const [compared, setCompared] = useState<Imported>();
  const path = { id: environmentId };
  const asked = { serviceId, text, replace };
  const compare = useChange(
    (body: typeof asked, sent: Sent) => client.variables.import.mutate({ path, body: { ...body, dryRun: true } }, sent),
    {
      failed: 'The variables could not be compared',
      succeeded: ({ changes }) => summaryOf(changes),
      quiet: true,
      done: (imported) => {
        setCompared(imported);
        setSecret(new Set(imported.changes.filter(suggested).map(({ key }) => key)));
        setSeen(new Set(imported.changes.flatMap(({ key, looksPublic }) => (looksPublic ? [key] : []))));
      },
    },
  );
  const stage = useChange(
    (
      body: typeof asked & { expectedRevision: number; secret: string[]; buildTime: Record<string, 'also'> },
      sent: Sent,
    ) => client.variables.import.mutate({ path, body }, sent),
    {
      failed: 'The variables could not be staged',
      succeeded: ({ changes }) => `${differing(changes)} variables staged`,
      quiet: true,
      touches: () => [trpc.variables.pathKey(), trpc.changeSets.pathKey()],
      done: onClose,
    },
  );
  const edit = (to: string) => {
    setText(to);
    setCompared(undefined);
  };
  const { faults } = parseEnvText(text);
  const count = compared === undefined ? 0 : differing(compared.changes);
  const outdated = stage.problem?.meanwhile !== undefined;
  const submit = () => {
    if (compared === undefined || outdated) {
      stage.reset();
      compare.send(asked);
    } else {
      const buildTime = Object.fromEntries([...seen].map((key) => [key, 'also' as const]));
      stage.send({ ...asked, expectedRevision: compared.revision, secret: [...secret], buildTime });
    }
  };
  return (
    <Form problem={stage.problem ?? compare.problem} places={['text']} onSubmit={submit}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: files are dropped here; the button chooses one, too. */}
      <div
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          const [file] = event.dataTransfer.files;
          if (file === undefined) return;
          event.preventDefault();
          void file.text().then(edit);
        }}
      >
        <AreaField
          name="text"
          label="Env file"
          hint="KEY=value, a line each; drop a file here, or paste its text."
          value={text}
          onChange={edit}
          rows={compared === undefined ? 10 : 4}
          required
          first
        />
      </div>
      <ChooseFile onText={edit} />
      {text !== '' && faults.length > 0 && (
        <Notice tone="attention" title="These lines cannot be imported">
          <ul>
            {faults.slice(0, most).map(({ line, message }) => (
              <li key={`${line} ${message}`}>
                Line {line}: {message}
              </li>
            ))}
          </ul>
          {faults.length > most && <p>And {faults.length - most} more.</p>}
        </Notice>
      )}
      <Checkbox
        label="Unset all others"
        hint={`${serviceId === undefined ? 'Shared variables' : 'Variables of the service'} that the file does not have are unset.`}
        checked={replace}
        onChange={(to) => {
          setReplace(to);
          setCompared(undefined);
        }}
      />
      {compared !== undefined && (
        <ImportedDiff
          changes={compared.changes}
          secret={secret}
          onSecret={(key, is) => setSecret((before) => withOrWithout(before, key, is))}
          seen={seen}
          onSeen={(key, is) => setSeen((before) => withOrWithout(before, key, is))}
        />
      )}
      {outdated && <Notice>Somebody staged something meanwhile. Nothing was imported: compare again.</Notice>}
      <SubmitOrCancel
        onCancel={onClose}
        busy={compare.sending || stage.sending}
        disabled={faults.length > 0 || (compared !== undefined && count === 0)}
      >
        {compared === undefined || outdated ? 'Compare' : count === 0 ? 'Nothing to stage' : `Stage ${counted(count)}`}
      </SubmitOrCancel>
    </Form>
  );
}

function ChooseFile({ onText }: { onText: (text: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <div>
      <input
        ref={field}
        type="file"
        hidden
        onChange={({ target }) => {
          void target.files?.[0]?.text().then(onText);
          target.value = '';
        }}
      />
      <Button small onClick={() => field.current?.click()}>
        Choose a file
      </Button>
    </div>
  );
}

function withOrWithout(keys: ReadonlySet<string>, key: string, is: boolean): ReadonlySet<string> {
  return new Set(is ? [...keys, key] : [...keys].filter((one) => one !== key));
}

/** Plain values that stay as they are were meant so. */
function suggested({ looksSecret, change }: Imported['changes'][number]): boolean {
  return looksSecret && change !== 'unchanged';
}

function differing(changes: Imported['changes']): number {
  return changes.filter(({ change }) => change !== 'unchanged').length;
}

function counted(count: number): string {
  return count === 1 ? '1 change' : `${count} changes`;
}

function summaryOf(changes: Imported['changes']): string {
  return `${counted(differing(changes))}, ${changes.length - differing(changes)} unchanged`;
}
