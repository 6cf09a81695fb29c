/** The text of the first element of that name, if there is one. Enough for answers of S3, whose elements have no attributes that count. */
export function textOf(xml: string, name: string): string | undefined {
  return elements(xml, name).next().value ?? undefined;
}

/** The content of each element of that name: of one with text alone the text, of others the XML within. */
export function elementsOf(xml: string, name: string): string[] {
  return [...elements(xml, name)];
}

/** Reads forwards alone: whoever answers may be hostile, and a pattern would look for each missing end anew. */
function* elements(xml: string, name: string): Generator<string, undefined> {
  const [opening, closing] = [`<${name}`, `</${name}>`];
  for (let at = xml.indexOf(opening); at >= 0; at = xml.indexOf(opening, at)) {
    at += opening.length;
    if (!/[\s>]/.test(xml.charAt(at))) continue;
    const from = xml.indexOf('>', at) + 1;
    const to = from === 0 ? -1 : xml.indexOf(closing, from);
    if (to < 0) return;
    const content = xml.slice(from, to);
    yield content.includes('<') ? content : unescaped(content);
    at = to;
  }
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/g, (whole, hex, decimal, name) => {
    if (name !== undefined) return named[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** The account that a completing request gives of its object. */
export function completion(parts: readonly { number: number; etag: string }[]): string {
  const listed = parts.map(
    ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${listed.join('')}</CompleteMultipartUpload>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
