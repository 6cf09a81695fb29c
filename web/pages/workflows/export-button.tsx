import { DownloadIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { Button } from '../../components/forms/button.tsx';
import { saveFile } from '../../components/save-file.ts';
import { tellDone, tellFailure } from '../../components/toasts/told.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { problemOf } from '../../control-plane/problem.ts';
import type { ActorDetail } from './actor-words.ts';

/** The history as a file that replays. */
export function ExportButton({ actor: { id, kind } }: { actor: Pick<ActorDetail, 'id' | 'kind'> }) {
  const { client } = usePlane();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const { events } = await client.workflows.export.mutate({ path: { id } });
      saveFile(`${kind}-${id}.json`, `${JSON.stringify({ events }, undefined, 2)}\n`, 'application/json');
      tellDone('History exported');
    } catch (error) {
      tellFailure('The history could not be exported', problemOf(error));
    }
    setBusy(false);
  };
  return (
    <Button icon={<DownloadIcon />} busy={busy} onClick={() => void save()}>
      Export history
    </Button>
  );
}
