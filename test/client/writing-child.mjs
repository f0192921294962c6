/** Writes what it is told to and waits; a test kills it meanwhile. Arguments: built client, url, outbox, values. */
const [built, url, path, ...values] = process.argv.slice(2)
const { connect } = await import(`${built}/client/index.js`)
const { fileOutbox } = await import(`${built}/client/node.js`)
const desk = await connect({ url, token: 'secret', outbox: fileOutbox(path) })
await Promise.all(values.map(value => desk.user('u_42').observe({ 'need.issue': value })))
await desk.close()
