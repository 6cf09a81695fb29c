import type { KeyboardEvent } from 'react';

const stops = '[data-column-stop]';

/** The stop of the button that promotes what a column runs. */
export function promotesFrom(environmentId: string): string {
  return `promote ${environmentId}`;
}

/** The stop of the button that adds the service to a column which lacks it. */
export function addsTo(environmentId: string): string {
  return `add ${environmentId}`;
}

/** Arrow keys move between releases and the buttons between them; with Shift, the one to the right promotes. */
export function moveBetweenColumns(event: KeyboardEvent): void {
  const { target, key } = event;
  if (!(target instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey) return;
  const [row, stop] = [target.closest('[data-id]'), target.dataset.columnStop];
  if (row === null || stop === undefined) return;
  const next = event.shiftKey ? promoting(row, stop, key) : besides(row, target, stop, key);
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
  if (event.shiftKey) next.click();
}

function promoting(row: Element, stop: string, key: string): HTMLElement | undefined {
  return key === 'ArrowRight' ? stopOf(row, promotesFrom(stop)) : undefined;
}

function besides(row: Element, here: HTMLElement, stop: string, key: string): HTMLElement | undefined {
  const inRow = [...row.querySelectorAll<HTMLElement>(stops)];
  switch (key) {
    case 'ArrowRight':
      return inRow[inRow.indexOf(here) + 1];
    case 'ArrowLeft':
      return inRow[inRow.indexOf(here) - 1];
    case 'ArrowDown':
      return below(row.nextElementSibling, stop, (one) => one.nextElementSibling);
    case 'ArrowUp':
      return below(row.previousElementSibling, stop, (one) => one.previousElementSibling);
    default:
      return undefined;
  }
}

/** The same column of the next row that has it. */
function below(row: Element | null, stop: string, next: (row: Element) => Element | null): HTMLElement | undefined {
  for (let one = row; one !== null; one = next(one)) {
    const found = stopOf(one, stop);
    if (found !== undefined) return found;
  }
  return undefined;
}

function stopOf(row: Element, stop: string): HTMLElement | undefined {
  return [...row.querySelectorAll<HTMLElement>(stops)].find((one) => one.dataset.columnStop === stop);
}
