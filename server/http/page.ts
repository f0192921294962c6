/** A page that shows /openapi.json, from this server alone. */
export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Selfsame: HTTP</title>
<link rel="icon" href="data:,">
<style>
  :root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #2a6f6b }
  @media (prefers-color-scheme: dark) { :root { --accent: #7cc5bf } }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  h1 { font-size: 1.6rem; margin: 0 }
  details { border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; overflow: hidden }
  summary { padding: .6rem .8rem; cursor: pointer; display: flex; gap: .8rem; flex-wrap: wrap; align-items: baseline }
  summary b { color: var(--accent); min-width: 3.5rem }
  code, pre { font: 14px/1.45 ui-monospace, monospace }
  summary code { overflow-wrap: anywhere }
  summary span { opacity: .75 }
  .inside { padding: 0 .8rem .8rem; border-top: 1px solid var(--line) }
  pre { background: var(--soft); padding: .8rem; border-radius: 6px; overflow-x: auto; margin: .3rem 0 }
  h2 { font-size: .85rem; text-transform: uppercase; letter-spacing: .06em; opacity: .7; margin: 1rem 0 .2rem }
</style>
<h1>Selfsame</h1>
<p id="about"></p>
<main></main>
<p>The same as data: <a href="/openapi.json">/openapi.json</a></p>
<script type="module">
  const doc = await (await fetch('/openapi.json')).json()
  const make = (tag, text, parent) => {
    const element = document.createElement(tag)
    if (text !== undefined) element.textContent = text
    parent?.append(element)
    return element
  }
  const plain = (schema, depth = 0) => {
    const name = schema?.$ref?.split('/').at(-1)
    if (name) return depth > 3 ? name : plain(doc.components.schemas[name], depth + 1)
    if (!schema || depth > 5) return '…'
    if (schema.enum) return schema.enum.filter(value => value !== null).join(' | ')
    const options = schema.anyOf ?? schema.oneOf
    if (options) return plain(options[0], depth)
    if (schema.type === 'array') return [plain(schema.items, depth + 1)]
    if (schema.properties) {
      const required = new Set(schema.required)
      return Object.fromEntries(Object.entries(schema.properties).map(([key, value]) => [required.has(key) ? key : key + '?', plain(value, depth + 1)]))
    }
    if (schema.additionalProperties) return { '…': plain(schema.additionalProperties, depth + 1) }
    return [schema.type].flat().filter(type => type && type !== 'null').join(' | ') || 'any'
  }
  const show = (title, schema, parent) => {
    if (!schema) return
    make('h2', title, parent)
    make('pre', JSON.stringify(plain(schema), null, 2), parent)
  }
  make('span', doc.info.description + ' Version ' + doc.info.version + '.', document.getElementById('about'))
  for (const [path, methods] of Object.entries(doc.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const details = make('details', undefined, document.querySelector('main'))
      const summary = make('summary', undefined, details)
      make('b', method.toUpperCase(), summary)
      make('code', path, summary)
      make('span', operation.summary, summary)
      const inside = make('div', undefined, details)
      inside.className = 'inside'
      const query = (operation.parameters ?? []).filter(parameter => parameter.in === 'query')
      if (query.length > 0) {
        make('h2', 'Query', inside)
        make('pre', query.map(({ name, required, schema }) => name + (required ? '' : '?') + ': ' + JSON.stringify(plain(schema))).join('\\n'), inside)
      }
      show('Body', operation.requestBody?.content['application/json'].schema, inside)
      show('Answer', operation.responses[200]?.content?.['application/json'].schema, inside)
    }
  make('h1', 'Refusals', document.querySelector('main')).style.marginTop = '2rem'
  const refusals = make('pre', doc.components.schemas.Refusal.description.replaceAll('\`', ''), document.querySelector('main'))
  refusals.style.whiteSpace = 'pre-wrap'
</script>
</html>
`
