/** Remedies for stuck workflows, by what their blockers begin with. */
const remedies: readonly [begins: string, remedy: string][] = [
  ['Messages cannot be delivered', 'see `./ballast doctor` and the log of the workers; it is tried again'],
  ['Its messages have not been delivered', 'see `./ballast doctor`: Temporal or the workers do not answer'],
  ['It should have gone on by now', 'see `./ballast doctor`: no worker may be running'],
  ['Repair failed', 'see the log of the workers; the repair is tried again'],
  [
    'No worker continues the workflow',
    'see `./ballast doctor`; if workers are up and have time, `./ballast replay ID`',
  ],
  ['The workflow code keeps failing', '`./ballast replay ID`; it continues once a version without the fault runs'],
];

/** The remedy for all else: a step that keeps failing. */
const otherwise = '`./ballast workflow history ID --failures` has the step that keeps failing';

export function whatToDo(blocker: string, id: string): string {
  const remedy = remedies.find(([begins]) => blocker.startsWith(begins))?.[1] ?? otherwise;
  return remedy.replace('ID', id);
}
