import { PlusIcon, XIcon } from '@primer/octicons-react';
import { Button, IconButton } from '../../components/forms/button.tsx';
import { TextField } from '../../components/forms/form.tsx';

/** One pair of the form. A claim that stands in several pairs must match one of them. */
export interface ClaimPair {
  id: string;
  claim: string;
  pattern: string;
}

export function claimPairs(claims: readonly [string, readonly string[]][]): ClaimPair[] {
  return claims.flatMap(([claim, patterns]) =>
    patterns.map((pattern) => ({ id: crypto.randomUUID(), claim, pattern })),
  );
}

export function claimsOf(pairs: readonly ClaimPair[]): Record<string, string[]> {
  const patterns = Map.groupBy(pairs, ({ claim }) => claim.trim());
  return Object.fromEntries([...patterns].map(([claim, some]) => [claim, some.map(({ pattern }) => pattern.trim())]));
}

export function ClaimsField({
  pairs,
  onChange,
  suggestions,
  example,
  errors,
}: {
  pairs: readonly ClaimPair[];
  onChange: (pairs: ClaimPair[]) => void;
  suggestions: readonly string[];
  example: string;
  errors: readonly string[];
}) {
  const change = (id: string, part: Partial<ClaimPair>) =>
    onChange(pairs.map((pair) => (pair.id === id ? { ...pair, ...part } : pair)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 font-medium text-sm">Claims that the job must have</legend>
      {pairs.map(({ id, claim, pattern }, index) => (
        <div
          key={id}
          className="grid grid-cols-[2fr_auto_3fr_auto] items-start gap-2 max-sm:grid-cols-[1fr_auto] max-sm:pb-2"
        >
          <div className="min-w-0">
            <TextField
              name={`claim-${id}`}
              label={`Claim ${index + 1}`}
              bare
              mono
              required
              placeholder="claim"
              value={claim}
              onChange={(text) => change(id, { claim: text })}
              suggestions={suggestions}
              maxLength={100}
            />
          </div>
          <span aria-hidden="true" className="pt-1.5 text-soft text-sm max-sm:hidden">
            is
          </span>
          <div className="min-w-0 max-sm:col-span-2 max-sm:row-start-2">
            <TextField
              name={`pattern-${id}`}
              label={`Value of claim ${index + 1}`}
              bare
              mono
              required
              placeholder={index === 0 ? example : 'value'}
              value={pattern}
              onChange={(text) => change(id, { pattern: text })}
              maxLength={500}
            />
          </div>
          <IconButton
            label={`Remove claim ${index + 1}`}
            disabled={pairs.length === 1}
            onClick={() => onChange(pairs.filter((pair) => pair.id !== id))}
          >
            <XIcon />
          </IconButton>
        </div>
      ))}
      {errors.map((error) => (
        <p key={error} role="alert" className="text-fault text-sm">
          {error}
        </p>
      ))}
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <p className="min-w-0 flex-1 basis-56 text-pretty text-soft text-xs">
          Each claim must match; one that is named twice must match once. <code>*</code> stands for any characters, and
          capitals count.
        </p>
        <Button
          small
          icon={<PlusIcon size={14} />}
          onClick={() => onChange([...pairs, { id: crypto.randomUUID(), claim: '', pattern: '' }])}
        >
          Add a claim
        </Button>
      </div>
    </fieldset>
  );
}
