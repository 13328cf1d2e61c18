// Comes before the other modules, which need it. In the repository, `npm start` brings its own Node.js.
const oldest = [22, 18] as const
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  process.stderr.write(`Payin needs Node.js ${oldest.join('.')} or newer; this is ${process.versions.node}.\n`)
  process.exit(1)
}
