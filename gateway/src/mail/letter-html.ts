import type { Brand } from '@switchroom/contract/discovery'

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character)

/**
 * The same paragraphs as HTML: no picture, nothing fetched, and the only thing to click is the letter's own link,
 * whatever the names in it look like.
 */
export function letterHtml(
  { name, accent }: Brand,
  paragraphs: readonly string[],
  standout: string | undefined,
) {
  const body = paragraphs.map((paragraph) =>
    paragraph === standout ? shown(paragraph, accent) : `<p>${escaped(paragraph)}</p>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1b1b1f;background:#fff">
<div style="max-width:520px;margin:0 auto">
<p style="font-weight:700;color:${accent}">${escaped(name)}</p>
${body.join('\n')}
</div>
</body>
</html>
`
}

/** A link or a code, alone in its paragraph. */
function shown(standout: string, accent: string): string {
  if (!standout.startsWith('http'))
    return `<p style="font:700 28px/1.2 ui-monospace,monospace;letter-spacing:4px">${escaped(standout)}</p>`
  const style = `display:inline-block;padding:10px 16px;border-radius:6px;background:${accent};color:#fff;text-decoration:none`
  return `<p><a href="${escaped(standout)}" style="${style}">Continue</a></p>`
}
