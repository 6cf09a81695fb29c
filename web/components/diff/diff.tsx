import type { ReactNode } from 'react';

export interface DiffLine {
  id: string;
  /** The thing that changes: a variable, a setting. */
  title: ReactNode;
  /** Absent: nothing was there, or nothing is there any more. */
  from?: string | undefined;
  to?: string | undefined;
  /** Its values are never shown. */
  secret?: boolean | undefined;
  /** In place of values: "New service". */
  note?: string | undefined;
  /** Beneath: who changed it. */
  about?: ReactNode;
  actions?: ReactNode;
}

/** Changes, each from a value to another one. */
export function Diff({ label, lines }: { label: string; lines: readonly DiffLine[] }) {
  return (
    <ul aria-label={label} className="divide-y divide-line">
      {lines.map((line) => (
        <li key={line.id} className="flex items-start gap-3 px-4 py-2.5 text-sm">
          <div className="grid min-w-0 flex-1 gap-x-4 gap-y-0.5 sm:grid-cols-[minmax(0,14rem)_minmax(0,1fr)]">
            <div className="min-w-0 break-words font-medium">{line.title}</div>
            <div className="min-w-0">
              <Values line={line} />
              {line.about !== undefined && <p className="text-soft text-xs">{line.about}</p>}
            </div>
          </div>
          {line.actions}
        </li>
      ))}
    </ul>
  );
}

function Values({ line: { from, to, secret = false, note } }: { line: DiffLine }) {
  if (note !== undefined) return <p>{note}</p>;
  if (secret)
    return <p>{to === undefined && from !== undefined ? 'Removed; the value is secret' : 'A new secret value'}</p>;
  return (
    <p className="break-words">
      {from !== undefined && (
        <>
          <span className="sr-only">from </span>
          <del className="text-soft decoration-faint">{shown(from)}</del>
          <span aria-hidden="true" className="px-1.5 text-faint">
            →
          </span>
        </>
      )}
      <span className="sr-only">{from === undefined ? 'set to ' : ' to '}</span>
      {to === undefined ? (
        <span className="text-soft">removed</span>
      ) : (
        <ins className="whitespace-pre-wrap no-underline">{shown(to)}</ins>
      )}
    </p>
  );
}

const most = 400;

/** A long value is shortened: nobody compares pages by eye. */
function shown(text: string): string {
  if (text === '') return 'empty';
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
