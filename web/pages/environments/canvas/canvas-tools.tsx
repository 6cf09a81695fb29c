import { DashIcon, PlusIcon, ScreenFullIcon } from '@primer/octicons-react';
import { Panel, useReactFlow } from '@xyflow/react';
import { useId, useState } from 'react';
import { Button, IconButton } from '../../../components/forms/button.tsx';
import { control } from '../../../components/forms/form.tsx';

interface Named {
  id: string;
  name: string;
}

interface CanvasToolsProps {
  /** Services that can be looked for; where there are few, none. */
  names: readonly Named[];
  find: (id: string) => void;
  arrange: (() => void) | undefined;
}

/** Nearer, farther, everything, one service; and back to the places that follow from the dependencies. */
export function CanvasTools({ names, find, arrange }: CanvasToolsProps) {
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  return (
    <Panel
      position="bottom-left"
      className="flex items-center gap-1 rounded-lg border border-line bg-card p-1 shadow-card"
    >
      {names.length > 0 && <FindService names={names} find={find} />}
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

/** Goes to a service whose name is chosen, or typed as far as it takes to know it. */
function FindService({ names, find }: Pick<CanvasToolsProps, 'names' | 'find'>) {
  const list = useId();
  const [text, setText] = useState('');
  const meant = (typed: string) => {
    const words = typed.trim().toLowerCase();
    const called = (fits: (name: string) => boolean) => names.find(({ name }) => fits(name.toLowerCase()));
    return words === ''
      ? undefined
      : (called((name) => name.startsWith(words)) ?? called((name) => name.includes(words)));
  };
  const go = (one: Named | undefined) => {
    if (one === undefined) return;
    setText('');
    find(one.id);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        go(meant(text));
      }}
    >
      <input
        type="search"
        aria-label="Find a service"
        placeholder="Find a service…"
        list={list}
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          setText(target.value);
          // A whole name that is not the beginning of another one needs no Enter.
          const [only, other] = names.filter(({ name }) => name.startsWith(target.value));
          if (other === undefined && only?.name === target.value) go(only);
        }}
        className={`${control} h-7 w-40 text-sm`}
      />
      <datalist id={list}>
        {names.map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
    </form>
  );
}
