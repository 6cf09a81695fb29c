import { CheckIcon, CopyIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { classes } from './style.ts';

function useCopied(): [boolean, (text: string) => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_600);
    return () => clearTimeout(timer);
  }, [copied]);
  return [copied, (text) => void navigator.clipboard.writeText(text).then(() => setCopied(true))];
}

/** An id or a name to copy: a click copies the whole text even where a part is shown. */
export function Copyable({ text, shown = text, label = 'text' }: { text: string; shown?: string; label?: string }) {
  const [copied, copy] = useCopied();
  return (
    <button
      type="button"
      onClick={() => copy(text)}
      title={`Copy the ${label}${shown === text ? '' : ` ${text}`}`}
      className="group inline-flex max-w-full items-center gap-1 rounded-sm align-baseline font-mono text-[0.92em] hover:text-text"
    >
      <span className="truncate">{shown}</span>
      <span
        aria-hidden="true"
        className={classes('shrink-0', !copied && 'opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100')}
      >
        {copied ? <CheckIcon size={12} className="text-good" /> : <CopyIcon size={12} />}
      </span>
      <span className="sr-only" aria-live="polite">
        {copied ? 'Copied' : ''}
      </span>
    </button>
  );
}

/** A command or a secret, whole, with a button that copies it. */
export function CopyBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="relative rounded-lg border border-line bg-sunken">
      <pre className="whitespace-pre-wrap break-all py-2.5 pr-24 pl-3 font-mono text-sm leading-relaxed">{text}</pre>
      <span className="absolute top-1.5 right-1.5">
        <CopyButton text={text} label={label} />
      </span>
    </div>
  );
}

/** The lines of a file, under its name. */
export function CopyFile({ text, name }: { text: string; name: string }) {
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex items-center justify-between gap-3 border-line border-b bg-card py-1.5 pr-1.5 pl-3">
        <span className="min-w-0 truncate text-soft text-sm">{name}</span>
        <CopyButton text={text} label="lines" />
      </div>
      <pre className="whitespace-pre-wrap break-words px-3 py-2.5 font-mono text-xs leading-relaxed">{text}</pre>
    </div>
  );
}

/** Copies what stands beside it. */
export function CopyMark({ text, label }: { text: string; label: string }) {
  const [copied, copy] = useCopied();
  return (
    <button
      type="button"
      onClick={() => copy(text)}
      aria-label={`Copy the ${label}`}
      title={`Copy the ${label}`}
      className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-faint hover:bg-hover hover:text-text max-sm:size-9"
    >
      {copied ? <CheckIcon size={14} className="text-good" /> : <CopyIcon size={14} />}
      <span className="sr-only" aria-live="polite">
        {copied ? 'Copied' : ''}
      </span>
    </button>
  );
}

function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, copy] = useCopied();
  return (
    <button
      type="button"
      onClick={() => copy(text)}
      aria-label={`Copy the ${label}`}
      className="inline-flex h-7 items-center gap-1.5 rounded-md border border-soft-line bg-card px-2 font-medium text-sm hover:bg-hover"
    >
      {copied ? <CheckIcon size={14} className="text-good" /> : <CopyIcon size={14} />}
      <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
    </button>
  );
}
