const total = 12
{
  const total = 30
  console.log(total)
}
console.log(total)
