import { useAnnouncements } from './told.ts';

/**
 * The live regions of the console, rendered from the start, since screen readers announce only what is added to a region
 * that they know. Modal dialogs leave regions with `aria-live` readable.
 */
export function Announcer() {
  const said = useAnnouncements();
  const lines = (wanted: boolean) =>
    said.filter(({ assertive }) => assertive === wanted).map(({ id, text }) => <p key={id}>{text}</p>);
  return (
    <>
      <output aria-live="polite" aria-atomic="false" className="sr-only">
        {lines(false)}
      </output>
      <div role="alert" aria-live="assertive" aria-atomic="false" className="sr-only">
        {lines(true)}
      </div>
    </>
  );
}
