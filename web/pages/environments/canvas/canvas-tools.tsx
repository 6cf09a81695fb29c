import { DashIcon, PlusIcon, ScreenFullIcon } from '@primer/octicons-react';
import { Panel, useReactFlow } from '@xyflow/react';
import { Button, IconButton } from '../../../components/forms/button.tsx';

/** Nearer, farther, everything; and back to the places that follow from the dependencies. */
export function CanvasTools({ arrange }: { arrange?: () => void }) {
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  return (
    <Panel
      position="bottom-left"
      className="flex items-center gap-1 rounded-lg border border-line bg-card p-1 shadow-card"
    >
      <IconButton label="Zoom out" onClick={() => void zoomOut()}>
        <DashIcon />
      </IconButton>
      <IconButton label="Zoom in" onClick={() => void zoomIn()}>
        <PlusIcon />
      </IconButton>
      <IconButton label="Show all" onClick={() => void fitView({ maxZoom: 1, padding: 0.08 })}>
        <ScreenFullIcon />
      </IconButton>
      {arrange !== undefined && (
        <Button small look="quiet" onClick={arrange}>
          Arrange
        </Button>
      )}
    </Panel>
  );
}
