/** A piece of HTML that is safe to put into another one. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | undefined | readonly Piece[];

/** Puts values into HTML; whatever is not HTML already is escaped. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(strings.map((text, index) => text + (index < pieces.length ? written(pieces[index]) : '')).join(''));
}

function written(piece: Piece): string {
  if (piece === undefined) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'object') return piece.map(written).join('');
  return String(piece).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** Prose with `code` and **strong** words. */
export function prose(text: string): Html[] {
  return text.split(/\n\n+/).map(
    (paragraph) =>
      html`<p>${paragraph.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
        if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
        return part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : part;
      })}</p>`,
  );
}
