import express from "express"

const shifts = [{ day: "mon", who: "Ada" }, { day: "tue", who: "Lin" }]

express()
  .get("/rest/shifts", (_req, res) => void res.json(shifts))
  .listen(4102, () => console.log("api ready"))
