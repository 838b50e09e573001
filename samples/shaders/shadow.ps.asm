; One colour: c0.
ps_2_0
mov r0, c0
mov oC0, r0
