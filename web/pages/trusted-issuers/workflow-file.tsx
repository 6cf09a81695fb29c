import { useState } from 'react';
import { CopyFile } from '../../components/copyable.tsx';
import { DialogActions } from '../../components/dialogs/dialog.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Select } from '../../components/forms/form.tsx';
import { durationText } from '../../components/times/durations.ts';
import { useMembership } from '../../control-plane/session.ts';
import { jobSnippet } from './job-snippet.ts';
import { ciOf, knownCis } from './known-ci.ts';
import type { Rule } from './rule-sentence.tsx';

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
      <DialogActions>
        <Button look="strong" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </div>
  );
}
